/** Generates names for new profiles, such as `quiet-heron-4821`. They identify profiles and are not secret. */
import { ProfileHandle } from "../domain/wire/Profile.ts"
import { builtins } from "../platform/builtins.ts"

const moods =
  ("able amber brave brisk calm civil clear crisp deft dusty eager early fair fleet fond frank gentle glad grand green " +
    "hardy hazy humble jolly keen kind late light lively lucid lunar mellow merry mild misty modest noble placid plain " +
    "polar proud quick quiet ready rosy royal rural sandy sharp silent silver sleek solar solid sound stout sunny swift " +
    "tidy tough true vivid warm wise witty").split(" ")

const animals =
  ("adder badger bear beaver bison boar bream bustard camel carp cod coot crab crane crow curlew deer dove duck eagle " +
    "egret elk falcon ferret finch fox frog gannet goose grebe gull hare hawk hen heron horse ibis jay kestrel kite koala " +
    "lark lemur linnet lion lynx marten mole moose moth newt otter owl panda perch pike plover puffin quail rail raven " +
    "robin rook seal shrew snipe stork swan teal tern thrush toad trout viper vole wren").split(" ")

/** Draws one of about 50 million names at random. The caller must handle a name that already exists. */
export const randomHandle = (): ProfileHandle => {
  const { randomInt } = builtins.crypto
  const digits = String(randomInt(10_000)).padStart(4, "0")
  return ProfileHandle.make(`${moods[randomInt(moods.length)]}-${animals[randomInt(animals.length)]}-${digits}`)
}
