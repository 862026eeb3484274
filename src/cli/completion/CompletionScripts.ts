/** The completion script of each shell. It calls `credsvc __complete`, so it stays valid when commands change. */
import * as Effect from "effect/Effect"
import { Output } from "../output/Output.ts"

/** Bash splits words at `=` and `:`. The script joins the parts, and strips all parts but the last from the candidates. */
const bash = `# bash completion for credsvc
_credsvc_complete() {
  local words=() word="" at first line rest="\${COMP_LINE:0:COMP_POINT}"
  for ((at = 0; at <= COMP_CWORD; at++)); do
    word="\${COMP_WORDS[at]}"
    ((at == COMP_CWORD)) && [[ "$word" != "" && "$rest" != *"$word" ]] && word=""
    if ((at > 0)) && [[ "$word" == [=:]* || "\${COMP_WORDS[at - 1]}" == [=:] ]] &&
      [[ "$COMP_LINE" == *"\${COMP_WORDS[at - 1]}$word"* ]]; then
      words[\${#words[@]} - 1]+="$word"
    else
      words+=("$word")
    fi
  done
  local current="\${words[\${#words[@]} - 1]}"
  COMPREPLY=()
  first=1
  while IFS= read -r line; do
    if ((first)); then
      first=0
      case "$line" in
        ":files")
          compopt -o default 2>/dev/null
          return
          ;;
        ":command "*)
          if declare -F _command_offset >/dev/null; then
            _command_offset $((\${line#:command } + 1))
          elif ((\${line#:command } + 2 == \${#words[@]})); then
            mapfile -t COMPREPLY < <(compgen -c -- "$current")
          else
            compopt -o default 2>/dev/null
          fi
          return
          ;;
      esac
    fi
    line="\${line%%$'\\t'*}"
    [[ "$current" == *[=:]* ]] && line="\${line#"\${current%"\${current##*[=:]}"}"}"
    COMPREPLY+=("$line")
  done < <("\${COMP_WORDS[0]}" __complete "\${words[@]:1}" 2>/dev/null)
}
complete -F _credsvc_complete credsvc
`

const zsh = `#compdef credsvc
_credsvc() {
  local -a lines values described
  local line
  lines=("\${(@f)$("\${words[1]}" __complete "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  case "\${lines[1]}" in
    "")
      return 1
      ;;
    ":files")
      _files
      return
      ;;
    ":command "*)
      local -i offset=$((\${lines[1]#:command } + 1))
      shift $offset words
      ((CURRENT -= offset))
      _normal
      return
      ;;
  esac
  for line in "\${lines[@]}"; do
    values+=("\${line%%$'\\t'*}")
    described+=("\${line/$'\\t'/  -- }")
  done
  compadd -l -d described -a values
}
if [[ "\${funcstack[1]}" == "_credsvc" ]]; then
  _credsvc "$@"
else
  compdef _credsvc credsvc
fi
`

const fish = `# fish completion for credsvc
function __credsvc_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l lines ($words[1] __complete $words[2..-1] 2>/dev/null)
  switch "$lines[1]"
    case ":files"
      __fish_complete_path (commandline -ct)
    case ":command *"
      set -l at (string replace ":command " "" -- $lines[1])
      complete -C (string join " " -- (string escape -- $words[(math $at + 2)..-2]) (commandline -ct))
    case "*"
      string join \\n -- $lines
  end
end
complete -c credsvc -e
complete -c credsvc -f -k -a "(__credsvc_complete)"
`

const scripts = { bash, fish, zsh }

export const completion = Effect.fnUntraced(function*({ shell }: { readonly shell: keyof typeof scripts }) {
  const output = yield* Output
  const script = scripts[shell]
  yield* output.either(() => ({ shell, script }), () => script.trimEnd())
})
