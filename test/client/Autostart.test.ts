import { assert, describe, it } from "@effect/vitest"
import { daemonEnvironment } from "../../src/client/Autostart.ts"

describe("Autostart", () => {
  it("gives the daemon nothing of a run's proxy, certificates, debugger or keys (A44, A42)", () => {
    const environment = daemonEnvironment({
      HOME: "/home/ada",
      PATH: "/usr/bin",
      LC_ALL: "C.UTF-8",
      XDG_RUNTIME_DIR: "/run/user/1000",
      DBUS_SESSION_BUS_ADDRESS: "unix:path=/run/user/1000/bus",
      CREDSVC_HOME: "/elsewhere",
      CREDSVC_MASTER_KEY: "c2VjcmV0",
      CREDSVC_MASTER_KEY_MODE: "keyring",
      CREDSVC_DAEMON_URL: "http://127.0.0.1:1",
      CREDSVC_PROFILE: "work",
      HTTPS_PROXY: "http://credsvc:token@127.0.0.1:5",
      NODE_OPTIONS: "--inspect",
      NODE_EXTRA_CA_CERTS: "/tmp/evil.pem",
      NODE_TLS_REJECT_UNAUTHORIZED: "0",
      SSL_CERT_FILE: "/tmp/bundle.pem",
      OPENAI_API_KEY: "sk-real"
    }, "/home/ada/.credsvc")
    assert.deepStrictEqual(environment, {
      HOME: "/home/ada",
      PATH: "/usr/bin",
      LC_ALL: "C.UTF-8",
      XDG_RUNTIME_DIR: "/run/user/1000",
      DBUS_SESSION_BUS_ADDRESS: "unix:path=/run/user/1000/bus",
      CREDSVC_MASTER_KEY_MODE: "keyring",
      CREDSVC_HOME: "/home/ada/.credsvc"
    })
  })
})
