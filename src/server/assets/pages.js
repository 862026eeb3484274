// Optional improvements of the pages: live updates, filtering during typing, and copy buttons. Pages work without this script.
"use strict"

const parse = (text) => new DOMParser().parseFromString(text, "text/html")

/** Loads a page. Undefined if the daemon cannot be reached or does not respond with success. */
const load = async (url) => {
  try {
    const response = await fetch(url, { headers: { accept: "text/html" } })
    return response.ok ? parse(await response.text()) : undefined
  } catch {
    return undefined
  }
}

/** Announces a text to screen readers. */
const announce = (text) => {
  document.getElementById("announcer").textContent = text
}

/** Replaces an element by the same element of a newer page, and keeps the focus in its place. */
const replace = (old, next) => {
  if (next === null || old.outerHTML === next.outerHTML) return
  const focused = old.contains(document.activeElement) ? document.activeElement : undefined
  const within = (element) => [...element.querySelectorAll("a[href], button, input, select, summary")]
  const place = focused === undefined ? -1 : within(old).indexOf(focused)
  const said = old.dataset.says
  old.replaceWith(next)
  enhance(next)
  if (place !== -1) within(next).at(place)?.focus({ preventScroll: true })
  if (next.dataset.says !== undefined && next.dataset.says !== said) announce(next.dataset.says)
}

const sleep = (millis) => new Promise((resolve) => setTimeout(resolve, millis))

let refreshes = 0

/** Updates every part of the page that can change by itself. */
const refresh = async () => {
  const mine = ++refreshes
  const url = location.href
  const page = await load(url)
  if (mine !== refreshes || page === undefined) return
  // The user has filtered meanwhile, and the filtered list may have been loaded before the change.
  if (url !== location.href) return refresh()
  for (const part of document.querySelectorAll("[data-live]")) replace(part, page.getElementById(part.id))
}

/** Follows changes while the page is visible. A request that waits takes one of the few connections of a browser to a site. */
const follow = async (liveness) => {
  const { events, lost, on } = liveness.dataset
  const asLoaded = liveness.innerHTML
  let { since } = liveness.dataset
  let waiting
  document.addEventListener("visibilitychange", () => waiting?.abort())
  // Relative times must be updated, too.
  setInterval(() => document.hidden || refresh(), 60_000)
  liveness.textContent = on
  while (true) {
    while (document.hidden) {
      await new Promise((resolve) => document.addEventListener("visibilitychange", resolve, { once: true }))
    }
    waiting = new AbortController()
    try {
      const response = await fetch(`${events}?since=${encodeURIComponent(since)}`, { signal: waiting.signal })
      // The daemon refuses to tell more, so the page shows only the link for reloading.
      if (!response.ok) return void (liveness.innerHTML = asLoaded)
      const revision = await response.text()
      liveness.textContent = on
      if (revision !== since) void refresh()
      since = revision
    } catch {
      if (waiting.signal.aborted) continue
      liveness.textContent = lost
      // Without a revision, the daemon responds at once.
      since = ""
      await sleep(3000)
    }
  }
}

/** Shows the result of a form during typing. Without the script, submitting the form shows the same result. */
const filterInstantly = (form) => {
  const target = form.dataset.instant
  let latest = 0
  let timer
  const apply = async () => {
    const mine = ++latest
    const query = new URLSearchParams([...new FormData(form)].filter(([, value]) => value !== ""))
    const url = `${form.action}${query.size === 0 ? "" : `?${query}`}`
    const page = await load(url)
    if (mine !== latest || page === undefined) return
    history.replaceState(null, "", url)
    replace(document.getElementById(target), page.getElementById(target))
  }
  form.addEventListener("input", () => {
    clearTimeout(timer)
    timer = setTimeout(apply, 90)
  })
  form.addEventListener("submit", (event) => {
    event.preventDefault()
    clearTimeout(timer)
    void apply()
  })
}

/** Follows a login that may end elsewhere: on another device or in another tab. */
const followLogin = async ({ dataset: { login, status } }) => {
  let leaving = false
  addEventListener("beforeunload", () => {
    leaving = true
  })
  while (true) {
    const response = await fetch(`${login}?wait=25`).catch(() => undefined)
    if (response === undefined || response.status === 429) await sleep(3000)
    else if (!response.ok || (await response.json()).status !== status) {
      // A reload would cancel the navigation with which the browser returns from the provider.
      if (leaving) await sleep(10_000)
      return location.reload()
    }
  }
}

const copy = (button) => {
  const label = button.textContent
  button.hidden = false
  button.addEventListener("click", async () => {
    const source = document.getElementById(button.dataset.copy)
    try {
      await navigator.clipboard.writeText(source.textContent)
      button.textContent = button.dataset.done
      announce(button.dataset.done)
      setTimeout(() => button.textContent = label, 2000)
    } catch {
      getSelection().selectAllChildren(source)
    }
  })
}

const enhance = (root) => {
  for (const button of root.querySelectorAll("[data-copy]")) copy(button)
  for (const element of root.querySelectorAll("[data-without-script]")) element.hidden = true
}

const isTyping = ({ target }) => target instanceof Element && target.matches("input, select, textarea")

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return
  const search = document.querySelector("input[type=search]")
  if (event.key === "/" && search !== null && !isTyping(event)) {
    event.preventDefault()
    search.select()
  }
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return
  const links = [...document.querySelectorAll("[data-arrows] h2 a")]
  const at = links.indexOf(document.activeElement)
  if (at === -1 && (document.activeElement !== search || event.key === "ArrowUp")) return
  const next = at + (event.key === "ArrowDown" ? 1 : -1)
  event.preventDefault()
  if (next < 0) search.select()
  else links[next]?.focus()
})

// Another site can cover this page with a window, and close that window between the clicks of a double click.
document.documentElement.addEventListener("pointerenter", ({ pointerType }) => {
  if (pointerType !== "mouse") return
  for (const element of document.querySelectorAll(".late")) {
    element.classList.remove("late")
    void element.offsetHeight
    element.classList.add("late")
  }
})

// For its back button, the browser can keep the page with the secrets that the user has entered.
addEventListener("pagehide", () => {
  for (const field of document.querySelectorAll("input[type=password], textarea.secret")) field.value = ""
})

/** Moves an OAuth error from the fragment to the query. Some servers put it there, where the daemon does not receive it. */
const resendError = () => {
  const given = new URLSearchParams(location.hash.slice(1))
  const names = ["state", "error", "error_description", "iss"].filter((name) => given.has(name))
  if (!names.includes("error") || location.search !== "") return
  location.replace(`${location.pathname}?${new URLSearchParams(names.map((name) => [name, given.get(name)]))}`)
}

enhance(document)
if (location.pathname.endsWith("/auth/callback/oauth")) resendError()
for (const form of document.querySelectorAll("form[data-instant]")) filterInstantly(form)
for (const liveness of document.querySelectorAll("#liveness")) void follow(liveness)
for (const login of document.querySelectorAll("[data-login]")) void followLogin(login)
