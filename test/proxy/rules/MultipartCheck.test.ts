/** Multipart bodies that servers read in other ways than the rules would, and their neighbors. */
import { describe } from "@effect/vitest"
import { BOUNDARY, field, FORM_DATA, multipart, RELATED, testForms, typed } from "../../support/RequestForms.ts"

describe("MultipartCheck", () => {
  testForms(
    "parts with unusual notations of their name",
    [
      typed(FORM_DATA, multipart(field("_method"))),
      typed(FORM_DATA, multipart(field("_method[]"))),
      typed(FORM_DATA, multipart(`Content-ID: <_method>\r\n\r\nDELETE`)),
      typed(FORM_DATA, multipart(`${field("a")}`.replace("name", "name*=utf-8''_method; name"))),
      typed(FORM_DATA, multipart(field("a").replace("form-data", "form-data; name=_method"))),
      typed(FORM_DATA, multipart(field("a").replace("Disposition", "Disposition ").replace(": ", ":"))),
      typed(FORM_DATA, multipart(field("\\_method"))),
      typed(FORM_DATA, multipart(`Content-Disposition: form-data;\r\n name="_method"\r\n\r\nDELETE`)),
      typed(FORM_DATA, `preamble\r\n${multipart(field("a"))}`),
      typed(FORM_DATA, multipart(field("a")).replaceAll("\r\n", "\n")),
      typed(
        FORM_DATA,
        multipart(field("a", `x\n--${BOUNDARY}\nContent-Disposition: form-data; name="_method"\n\nDELETE`))
      ),
      typed(FORM_DATA, multipart(field("a")) + field("_method")),
      typed("multipart/form-data; boundary=a,b", "--a\r\n"),
      typed(`multipart/form-data; x="boundary=y"; boundary=${BOUNDARY}`, multipart(field("a"))),
      typed("multipart/form-data", multipart(field("a"))),
      // Rack searches the header of a part, Tomcat decodes RFC 2047, and Python's cgi reads as many bytes as a part declares.
      typed(FORM_DATA, multipart(field("a; name=_method"))),
      typed(FORM_DATA, multipart(field("a\"; filename=\"x; name=_method"))),
      typed(FORM_DATA, multipart(`Content-Type: a/b; x="Content-Disposition: y"\r\n${field("b")}`)),
      typed(FORM_DATA, multipart(`Content-Type: a/b; x=Content-Disposition:; name=_method\r\n${field("b")}`)),
      typed(FORM_DATA, multipart(field("=?utf-8?B?X21ldGhvZA==?="))),
      typed(FORM_DATA, multipart(`Content-Length: 1\r\n${field("a", `x\r\n${field("_method")}`)}`)),
      typed(FORM_DATA, multipart(`Content-Length: 99\r\n${field("a", "x")}`, field("b"))),
      typed(RELATED, multipart("Content-ID: <_method>\r\n\r\nDELETE")),
      typed(RELATED, multipart("Content-ID: <_method>\r\n\r\nDELETE").replaceAll("\r\n", "\n")),
      typed(RELATED, multipart("Content-Type: a/b\r\n\r\nx").replaceAll("\r\n", "\n").replace("x\n", "x\r\n")),
      typed(RELATED, multipart("Content-Type: a/b\r\n\r\nx").replace("\r\n", "\n")),
      typed(FORM_DATA, multipart(field("x").replace("\"x\"", "_method")))
    ],
    [
      typed(FORM_DATA, multipart(field("a", "b"), field("user[name]", "x"))),
      typed(
        FORM_DATA,
        multipart(
          "Content-Disposition: form-data; name=\"file\"; filename=\"r\u00e9sum\u00e9.pdf\"\r\nContent-Type: application/pdf\r\n\r\n" +
            "\0\r\n--\r\n_method"
        )
      ),
      typed(
        FORM_DATA,
        multipart("content-disposition: form-data; name=\"a\"\r\nContent-Length: 1\r\n\r\nb", field("c", ""))
      ),
      typed(
        FORM_DATA,
        multipart(`Content-Type: text/plain; name=b.txt\r\n${field("file\"; filename=\"a; b=c.txt", "x")}`)
      ),
      typed(
        FORM_DATA,
        multipart(`Content-Length: 0\r\n${field("a", "")}`, `Content-Length: 4\r\n${field("b", "a\r\nb")}`)
      ),
      typed(
        RELATED,
        multipart(
          "Content-Type: application/json; charset=UTF-8\r\n\r\n{}",
          "Content-Type: image/png\r\nContent-ID: <1>\r\n\r\nx"
        )
      ),
      // Google's SDK for Python, and HttpClient of .NET.
      typed(
        RELATED,
        multipart(
          "Content-Type: application/json\r\nMIME-Version: 1.0\r\n\r\n{}",
          "Content-Type: image/png\r\nMIME-Version: 1.0\r\nContent-Transfer-Encoding: binary\r\n\r\nx\r\ry"
        ).replaceAll("\r\n", "\n")
      ),
      typed(
        FORM_DATA,
        multipart(
          "Content-Type: text/plain; charset=utf-8\r\nContent-Disposition: form-data; name=a\r\n\r\nb",
          "Content-Disposition: form-data; name=file; filename=c.txt; filename*=utf-8''c.txt\r\n\r\n"
        )
      )
    ]
  )
})
