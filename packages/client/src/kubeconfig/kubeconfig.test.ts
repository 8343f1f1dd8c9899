import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { VirtualClock } from "@kintsugi/clock/simulated";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { InvalidKubeconfig, loadKubeconfig, parseKubeconfig } from "./kubeconfig.ts";
import {
  changeKubeconfigFile,
  hasEntry,
  type KubeconfigEntry,
  kubeconfigPath,
  readKubeconfigDocument,
  withEntry,
  withoutEntry,
} from "./kubeconfig-file.ts";

const entry: KubeconfigEntry = {
  name: "kintsugi-demo",
  server: "https://127.0.0.1:6443",
  ca: "CA",
  cert: "CERT",
  key: "KEY",
};
const base64 = (text: string) => Buffer.from(text).toString("base64");

let directory: string;
let file: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "kintsugi-kubeconfig-"));
  file = join(directory, "config");
});
afterEach(() => rmSync(directory, { recursive: true }));

describe("parsing a kubeconfig", () => {
  test("follows the current context to a server and an identity", () => {
    const yaml = JSON.stringify(withEntry({}, entry));
    expect(parseKubeconfig(yaml)).toEqual({
      context: "kintsugi-demo",
      server: "https://127.0.0.1:6443",
      namespace: "default",
      ca: "CA",
      cert: "CERT",
      key: "KEY",
    });
  });

  test("reads the servers of a cluster that has several, and rejects an invalid list", () => {
    const servers = ["https://192.0.2.1:6443", "https://192.0.2.2:6443"];
    expect(parseKubeconfig(JSON.stringify(withEntry({}, { ...entry, servers }))).servers).toEqual(servers);
    for (const wrong of [[], ["http://192.0.2.1"], ["192.0.2.1"], Array.from({ length: 17 }, () => servers[0] ?? "")]) {
      const yaml = JSON.stringify(withEntry({}, { ...entry, servers: wrong }));
      expect(() => parseKubeconfig(yaml)).toThrow("needs a list");
    }
  });

  test("reads the files that it names, relative to itself", () => {
    writeFileSync(join(directory, "ca.pem"), "CA");
    writeFileSync(join(directory, "token"), "secret\n");
    writeFileSync(
      file,
      `clusters: [{name: c, cluster: {server: "https://h:1", certificate-authority: ca.pem, tls-server-name: api}}]
users: [{name: u, user: {tokenFile: token}}]
contexts: [{name: x, context: {cluster: c, user: u, namespace: shop}}]`,
    );
    expect(loadKubeconfig(file, "x")).toEqual({
      context: "x",
      server: "https://h:1",
      namespace: "shop",
      ca: "CA",
      token: "secret",
      serverName: "api",
    });
  });

  test.each([
    ["{}", "current-context is not set"],
    ["current-context: x", 'context "x" does not exist'],
    ["current-context: x\ncontexts: [{name: x, context: {cluster: c, user: u}}]", 'cluster "c" does not exist'],
    ["contexts: 7", "contexts: "],
    [
      'current-context: x\nclusters: [{name: c, cluster: {server: "https://h", insecure-skip-tls-verify: true}}]\nusers: [{name: u}]\ncontexts: [{name: x, context: {cluster: c, user: u}}]',
      "skips TLS verification",
    ],
  ])("states the fault in %j", (yaml, message) => {
    expect(() => parseKubeconfig(yaml)).toThrow(message);
  });
});

describe("an unusable kubeconfig", () => {
  test.each([
    ["a: [", "{file}: Flow sequence in block collection"],
    ["just words", "{file}: the whole: "],
    ["clusters: 1", "{file}: clusters: "],
    ["current-context: a", '{file}: context "a" does not exist'],
    [undefined, "{file}: cannot be read: ENOENT, no such file: name the kubeconfig of a cluster with --kubeconfig"],
  ])("%j is rejected in one line that names the file", (text, message) => {
    const file = join(directory, "useless");
    rmSync(file, { force: true });
    if (text !== undefined) writeFileSync(file, text);
    const load = () => loadKubeconfig(file);
    expect(load).toThrow(InvalidKubeconfig);
    expect(load).toThrow(message.replace("{file}", file));
    expect(load).not.toThrow(/\n/);
  });

  test("states which of the named files is missing", () => {
    const file = join(directory, "lacking");
    writeFileSync(
      file,
      JSON.stringify({
        "current-context": "a",
        clusters: [{ name: "a", cluster: { server: "https://a", "certificate-authority": "nowhere.crt" } }],
        users: [{ name: "a" }],
        contexts: [{ name: "a", context: { cluster: "a", user: "a" } }],
      }),
    );
    expect(() => loadKubeconfig(file)).toThrow(`${file}: ${join(directory, "nowhere.crt")} cannot be read: ENOENT`);
  });
});

describe("writing a kubeconfig", () => {
  test("writes to the file that kubectl would write", () => {
    writeFileSync(file, "");
    const [missing, other] = [join(directory, "missing"), join(directory, "other")];
    expect(kubeconfigPath("/explicit", { KUBECONFIG: file })).toBe("/explicit");
    expect(kubeconfigPath(undefined, { KUBECONFIG: `${missing}:${file}:${other}` })).toBe(file);
    expect(kubeconfigPath(undefined, { KUBECONFIG: `${missing}:${other}` })).toBe(other);
    expect(kubeconfigPath(undefined, { HOME: "/home/me" })).toBe("/home/me/.kube/config");
  });

  test("keeps other programs' entries, including unknown fields", () => {
    const others = {
      extensions: [{ name: "tool" }],
      clusters: [{ name: "prod", cluster: { server: "https://prod", "proxy-url": "http://proxy" } }],
      users: [{ name: "prod", user: { exec: { command: "login" } } }],
      contexts: [{ name: "prod", context: { cluster: "prod", user: "prod" } }],
      "current-context": "prod",
    };
    const added = withEntry(withEntry(others, entry), { ...entry, server: "https://moved" });
    expect(added).toMatchObject({
      extensions: others.extensions,
      clusters: [
        others.clusters[0],
        { name: entry.name, cluster: { server: "https://moved", "certificate-authority-data": base64("CA") } },
      ],
      users: [others.users[0], { name: entry.name }],
      "current-context": entry.name,
    });
    expect(hasEntry(added, entry.name)).toBe(true);
    expect(withoutEntry(added, entry.name)).toMatchObject({ ...others, "current-context": "" });
    expect(withoutEntry({ ...added, "current-context": "prod" }, entry.name)).toMatchObject(others);
  });

  test("creates a file for its owner only, behind a link that is kept", async () => {
    const real = join(directory, "real");
    writeFileSync(real, "current-context: prod\n", { mode: 0o644 });
    symlinkSync(real, file);
    await changeKubeconfigFile({ clock: new VirtualClock() }, file, (document) => withEntry(document, entry));
    expect(statSync(real).mode & 0o777).toBe(0o600);
    expect((parse(readFileSync(real, "utf8")) as Record<string, unknown>)["current-context"]).toBe(entry.name);
    expect(loadKubeconfig(file).server).toBe(entry.server);
  });

  test("quotes the names of all entries that YAML 1.1 requires quotes for", async () => {
    writeFileSync(file, 'users: [{ name: "off", user: {} }, { name: "1_000", user: {} }]\n');
    const change = (document: Record<string, unknown>) => withEntry(document, { ...entry, name: "n" });
    await changeKubeconfigFile({ clock: new VirtualClock() }, file, change);
    const text = readFileSync(file, "utf8");
    expect(parse(text, { version: "1.1" })).toEqual(parse(text));
    expect(readKubeconfigDocument(file)).toMatchObject({
      users: [{ name: "off" }, { name: "1_000" }, { name: "n" }],
      "current-context": "n",
    });
  });

  test("replaces only regular files, and not for example the device /dev/null", async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(file, resolve));
    const changed = changeKubeconfigFile({ clock: new VirtualClock() }, file, (document) => document);
    await expect(changed).rejects.toThrow(`${file} is not a file that can be replaced: name another file with`);
    expect(statSync(file).isSocket()).toBe(true);
    expect(() => statSync(`${file}.lock`)).toThrow("ENOENT");
    await new Promise((resolve) => other.close(resolve));
  });

  test("waits for another program's lock, and aborts after a while", async () => {
    const clock = new VirtualClock();
    writeFileSync(`${file}.lock`, "");
    const blocked = changeKubeconfigFile({ clock }, file, (document) => document).catch((error: unknown) => error);
    await clock.advance(10_500);
    expect(String(await blocked)).toContain(`${file}.lock exists`);
    const waiting = changeKubeconfigFile({ clock }, file, (document) => withEntry(document, entry));
    rmSync(`${file}.lock`);
    await clock.advance(200);
    await waiting;
    expect(hasEntry(readKubeconfigDocument(file), entry.name)).toBe(true);
  });

  test("names the file that cannot be written, and leaves no part of it", async () => {
    // The name has room for the lock's suffix, but not for the new file's suffix.
    const long = join(directory, "k".repeat(250));
    const changed = changeKubeconfigFile({ clock: new VirtualClock() }, long, (document) => withEntry(document, entry));
    await expect(changed).rejects.toThrow(InvalidKubeconfig);
    await expect(changed).rejects.toThrow(
      /cannot be written \(ENAMETOOLONG: .*\): name another file with --kubeconfig/,
    );
    expect(readdirSync(directory)).toEqual([]);
  });

  test("leaves no lock behind when the change fails", async () => {
    const change = () => {
      throw new Error("no");
    };
    await expect(changeKubeconfigFile({ clock: new VirtualClock() }, file, change)).rejects.toThrow("no");
    expect(() => statSync(`${file}.lock`)).toThrow("ENOENT");
  });
});
