/** Requests whose framing or lines two parsers may interpret differently, as known from real servers. */

export interface Vector {
  readonly what: string
  readonly bytes: string
  /** The number of requests that an upstream may see: none if the message is rejected. */
  readonly reaching: number
}

/** A request to `host`, with header lines that need not be well-formed, and the bytes after the head. */
const post = (host: string) => (headers: string, rest = "", version = "1.1") =>
  `POST /first HTTP/${version}\r\nHost: ${host}\r\n${headers}\r\n${rest}`

const chunked = "Transfer-Encoding: chunked\r\n"

export const smugglingCorpus = (host: string): ReadonlyArray<Vector> => {
  const first = post(host)
  const smuggled = `GET /smuggled HTTP/1.1\r\nHost: ${host}\r\nX: `
  const refused = (what: string, bytes: string): Vector => ({ what, bytes, reaching: 0 })
  const served = (what: string, bytes: string): Vector => ({ what, bytes, reaching: 1 })

  const several = [`0\r\nContent-Length: ${smuggled.length}`, "0\r\nContent-Length: 0", "0\r\ncontent-length: 5"]
  const lists = ["0, 0", "0, 5", "5,", ",5"]
  const notations = ["+5", "-1", "-0", "0x5", "5h", "1_0", "1 0", "1e1", "5.0", "5;", "\"5\"", "", "\xb2", "NaN"]
  const controls = ["5\0", "\x005", "5\x0b"]
  const overflowing = ["9223372036854775808", "18446744073709551616", "99999999999999999999999999"]
  const lengths = [...several, ...lists, ...notations, ...controls, ...overflowing].map((length) =>
    refused(`the length ${JSON.stringify(length)}`, first(`Content-Length: ${length}\r\n`, smuggled))
  )

  const alike = [
    "xchunked",
    "chunkedx",
    "chunk",
    "chunked;q=1",
    "\"chunked\"",
    "'chunked'",
    "[chunked]",
    "\xa0chunked",
    ""
  ]
  const besides = [
    "chunked, identity",
    "identity, chunked",
    "identity",
    "gzip, chunked",
    "chunked, gzip",
    "cow, chunked"
  ]
  const repeated = ["chunked, chunked", "chunked,", ",chunked", "chunked\r\n , identity"]
  const fields = [["chunked", "chunked"], ["chunked", "identity"], ["identity", "chunked"]].map((codings) =>
    codings.join("\r\nTransfer-Encoding: ")
  )
  const padded = ["chunked\0", "\x00chunked", "\x0bchunked", "\x0cchunked", "chunked\x0b"]
  const codings = [...alike, ...besides, ...repeated, ...fields, ...padded].map((coding) =>
    refused(`the coding ${JSON.stringify(coding)}`, first(`Transfer-Encoding: ${coding}\r\n`, `0\r\n\r\n${smuggled}`))
  )

  const spaced = ["Transfer-Encoding :", " Transfer-Encoding:", "\tTransfer-Encoding:", "Transfer-Encoding\t:"]
  const folded = ["Transfer-Encoding\r\n :", "Transfer-Encoding\n:", "Transfer-\r\n Encoding:"]
  const hidden = ["X: x\nTransfer-Encoding:", "X: x\rTransfer-Encoding:", "X: x\r\n\rTransfer-Encoding:"]
  const odd = ["Transfer\0Encoding:", "Transfer-Encoding\0:", "\xefTransfer-Encoding:", "(Transfer-Encoding):"]
  const named = [...spaced, ...folded, ...hidden, ...odd, "Transfer-Encoding", ":"].map((name) => `${name} chunked`)
  const spelled = [...named, "Transfer-Encoding=chunked", "\0", "X"].map((line) =>
    refused(
      `the line ${JSON.stringify(line)} beside a length`,
      first(`${line}\r\nContent-Length: 5\r\n`, `0\r\n\r\n${smuggled}`)
    )
  )

  // Names that some gateways mistake for framing headers are ordinary headers.
  const resembling = [
    "Transfer_Encoding",
    "TransferEncoding",
    "X-Transfer-Encoding",
    "Content-Encoding",
    "Content_Length"
  ].map((name) =>
    served(`${name} beside a length`, first(`${name}: chunked\r\nContent-Length: ${smuggled.length}\r\n`, smuggled))
  )

  const both = [
    ["a length, then chunks", `Content-Length: 5\r\n${chunked}`],
    ["chunks, then a length", `${chunked}Content-Length: 5\r\n`],
    ["a length of nothing, then chunks", `Content-Length: 0\r\n${chunked}`],
    ["chunks, then a length in another case", `${chunked}CONTENT-length: 5\r\n`],
    ["chunks after a tab, then a length", "Transfer-Encoding:\tchunked\r\nContent-Length: 0\r\n"],
    ["chunks between two lengths", `Content-Length: 5\r\n${chunked}Content-Length: 5\r\n`]
  ].map(([what, headers]) => refused(what!, first(headers!, `0\r\n\r\n${smuggled}`)))

  const versions = ["1.0", "0.9", "1.2", "2.0", "3", "1.", "1.10", "01.1", "1,1", ""].map((version) =>
    refused(`chunks in HTTP/${version}`, first(chunked, `0\r\n\r\n${smuggled}`, version))
  )

  const signed = ["+3", "-3", "-0", " 3", "0x3", "3h", "3 3", "3_", "3,", "3.0", "", ";ext", "g"]
  const controlled = ["3\0", "\x0b3", "3\r", "3\n", "3;a\nb", "3;a\rb", "3\t;\x01"]
  const sizes = [...signed, ...controlled, "fffffffffffffffff", "10000000000000003"].map((size) =>
    refused(`the chunk size ${JSON.stringify(size)}`, first(chunked, `${size}\r\nabc\r\n0\r\n\r\n${smuggled}`))
  )

  const chunks = [
    ["that is longer than it says", "3\r\nabcd\r\n0\r\n\r\n"],
    ["that is shorter than it says", "5\r\nabc\r\n0\r\n\r\n"],
    ["without an end of line", "3\r\nabc0\r\n\r\n"],
    ["ended by a line feed", "3\r\nabc\n0\r\n\r\n"],
    ["with a size ended by a line feed", "3\nabc\r\n0\r\n\r\n"],
    ["with a size ended by a carriage return", "3\rabc\r\n0\r\n\r\n"],
    ["with two bytes where its end should be", "3\r\nabcXX0\r\n\r\n"],
    [
      "that is followed by trailers with framing fields",
      "3\r\nabc\r\n0\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"
    ],
    ["that is the last one and ended by line feeds", "3\r\nabc\r\n0\n\n"]
  ].map(([what, body]) => refused(`a chunk ${what}`, first(chunked, body! + smuggled)))

  const extended = [
    ["a coding in another case", "3\r\nabc\r\n0\r\n\r\n", "Transfer-Encoding: Chunked\r\n"],
    ["an extension", "3;ext\r\nabc\r\n0\r\n\r\n"],
    ["an extension with a value", "3;a=b;c=\"d e\"\r\nabc\r\n0;x=y\r\n\r\n"],
    ["zeros before its size", "00003\r\nabc\r\n000\r\n\r\n"],
    ["a size in capitals", "A\r\n0123456789\r\n0\r\n\r\n"],
    ["trailers with a credential", "3\r\nabc\r\n0\r\nAuthorization: Bearer own\r\nHost: evil.example.net\r\n\r\n"]
  ].map(([what, body, coding = chunked]) => served(`a chunk with ${what}`, first(coding, body)))

  const lines = [
    ["bare line feeds", `POST /first HTTP/1.1\nHost: ${host}\nContent-Length: 0\n\n`],
    ["a bare line feed after the line", `POST /first HTTP/1.1\nHost: ${host}\r\nContent-Length: 0\r\n\r\n`],
    ["a bare line feed after a header", first("X: a\nContent-Length: 0\r\n")],
    ["a bare carriage return after a header", first("X: a\rContent-Length: 0\r\n")],
    ["a carriage return in a value", first("X: a\rb\r\nContent-Length: 0\r\n")],
    ["two carriage returns at the end of a line", first("X: a\r\r\nContent-Length: 0\r\n")],
    ["a folded header", first("X: a\r\n b\r\nContent-Length: 0\r\n")],
    ["a folded length", first("Content-Length:\r\n 0\r\n")],
    ["a folded first header", `POST /first HTTP/1.1\r\n X: a\r\nHost: ${host}\r\n\r\n`],
    ["a NUL in a value", first("X: a\0b\r\n")],
    ["a NUL in a name", first("X\0Y: a\r\n")],
    ["a name without a value", first("X\r\n")],
    ["a space after the name of a length", first("Content-Length : 5\r\n")],
    ["an empty name", first(": a\r\n")],
    ["a space in a name", first("X Y: a\r\n")],
    ["a letter beyond ASCII in a name", first("X\xe9: a\r\n")],
    ["a space before the line", ` POST /first HTTP/1.1\r\nHost: ${host}\r\n\r\n`],
    ["a tab in the line", `POST\t/first HTTP/1.1\r\nHost: ${host}\r\n\r\n`],
    ["a space in the target", `POST /first second HTTP/1.1\r\nHost: ${host}\r\n\r\n`],
    ["a NUL in the target", `POST /first\0 HTTP/1.1\r\nHost: ${host}\r\n\r\n`],
    ["a line feed in the target", `POST /first\n HTTP/1.1\r\nHost: ${host}\r\n\r\n`],
    ["no version", `GET /first\r\nHost: ${host}\r\n\r\n`],
    ["a version in small letters", `POST /first http/1.1\r\nHost: ${host}\r\n\r\n`],
    ["more after the version", `POST /first HTTP/1.1 x\r\nHost: ${host}\r\n\r\n`],
    ["a method in small letters", `post /first HTTP/1.1\r\nHost: ${host}\r\n\r\n`],
    ["a method with a control character", `PO\x01ST /first HTTP/1.1\r\nHost: ${host}\r\n\r\n`],
    ["the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
    ["an upgrade with a body", first("Connection: Upgrade\r\nUpgrade: websocket\r\nContent-Length: 5\r\n", smuggled)],
    ["a response in the place of a request", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"]
  ].map(([what, bytes]) => refused(what!, bytes + smuggled))

  const second = `GET /second HTTP/1.1\r\nHost: ${host}\r\n\r\n`
  const length = `Content-Length: ${smuggled.length}\r\n`
  const pipelined = [
    ["two whole requests, one after the other", first("Content-Length: 3\r\n", "abc") + second],
    ["a request whose body looks like another one", first(length, smuggled) + second],
    [
      "chunks that look like another request",
      first(chunked, `${smuggled.length.toString(16)}\r\n${smuggled}\r\n0\r\n\r\n`) + second
    ]
  ].map(([what, bytes]): Vector => ({ what: what!, bytes: bytes!, reaching: 2 }))
  const offered = {
    what: "an offer of HTTP/2, which is ignored",
    bytes: first("Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AA\r\n", smuggled) + smuggled,
    reaching: 1
  }

  const unusual = [
    ["empty lines before a request", `\r\n\r\n${first("Content-Length: 3\r\n", "abc")}`],
    ["two spaces in its line", `POST  /first HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 3\r\n\r\nabc`],
    ["a body where none is usual", `GET /first HTTP/1.1\r\nHost: ${host}\r\n${length}\r\n${smuggled}`],
    [
      "Connection that names what frames the message",
      first(`Connection: content-length, transfer-encoding, host\r\n${length}`, smuggled)
    ]
  ].map(([what, bytes]) => served(what!, bytes!))

  const framings = [both, lengths, codings, spelled, resembling, versions]
  return [...framings, sizes, chunks, extended, lines, pipelined, unusual, offered].flat()
}
