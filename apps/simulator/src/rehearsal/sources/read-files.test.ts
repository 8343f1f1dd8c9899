import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, expect, test } from "vitest";
import { readFiles } from "./read-files.ts";
import { readSource } from "./read-source.ts";
import { dumpText } from "./dump-text.ts";

const directory = mkdtempSync(join(tmpdir(), "rehearsal-"));
afterAll(() => rmSync(directory, { recursive: true }));

function fileOf(name: string, contents: string | Buffer): string {
  const path = join(directory, name);
  writeFileSync(path, contents);
  return path;
}

/** An archive with one file, or with one link: type "1" or "2". */
function tarOf(name: string, contents: string, type = "0"): Buffer {
  const header = Buffer.alloc(512);
  header.write(name, 0);
  header.write(contents.length.toString(8).padStart(11, "0"), 124);
  header.write(type, 156);
  const body = Buffer.alloc(Math.ceil(contents.length / 512) * 512);
  body.write(contents);
  return Buffer.concat([header, body, Buffer.alloc(1024)]);
}

const node = JSON.stringify({ apiVersion: "v1", kind: "Node", metadata: { name: "n" } });

test("a backup of Velero is read from its archive", () => {
  const path = fileOf("backup.tar.gz", gzipSync(tarOf("resources/nodes/cluster/n.json", node)));
  expect(readFiles(path).objects.map(({ kind }) => kind)).toEqual(["Node"]);
});

test("a dump of kubectl cluster-info names the files and the namespaces that it lacks", () => {
  const dump = mkdtempSync(join(directory, "dump-"));
  const put = (path: string, kind: string) => {
    mkdirSync(dirname(join(dump, path)), { recursive: true });
    writeFileSync(join(dump, path), JSON.stringify({ apiVersion: "v1", kind, items: [] }));
  };
  put("nodes.json", "NodeList");
  for (const file of ["events", "services", "replication-controllers", "pods"]) put(`shop/${file}.json`, "List");
  const refused = readFiles(dump).listed.filter((list) => list.refused !== undefined);
  expect(refused.map(({ kind }) => kind)).toEqual(["Namespace", "DaemonSet", "Deployment", "ReplicaSet"]);
  expect(refused[0]?.refused).toMatch(/has only the namespaces shop .*--all-namespaces/);
  expect(refused[1]?.refused).toBe(
    "the dump is incomplete because it does not contain daemonsets of shop: write the dump again",
  );
});

test.each([
  ["manifests with described nodes are complete", false, "3x4cpu16Gi", true],
  ["a backup with described nodes is not complete", true, "3x4cpu16Gi", false],
])("%s", async (_, isStored, nodes, isWhole) => {
  const metadata = { name: "web", ...(isStored ? { resourceVersion: "5" } : {}) };
  const from = fileOf("web.json", JSON.stringify({ apiVersion: "v1", kind: "Service", metadata }));
  const source = await readSource({ from, nodes, kubeconfig: undefined, context: undefined }, () => {});
  expect([source.isWhole, source.isUnsettled]).toEqual([isWhole, true]);
});

test.each([
  ["out.tar", tarOf("../../etc/passwd.json", node), /leads out of the archive/],
  ["cut.tar", tarOf("a.json", node.padEnd(2000)).subarray(0, 1024), /is cut off: its last file has 2000 bytes/],
  [
    "cut.tar.gz",
    gzipSync(tarOf("a.json", node)).subarray(0, 60),
    /cannot be unpacked because it is cut off or not a gzip file/,
  ],
  ["link.tar", tarOf("a.json", "", "2"), /has a link in place of the file "a.json": pack it with `tar --dereference/],
  ["zeros.json.gz", gzipSync(Buffer.alloc(100_000)), /zeros.json.gz is not text, because it contains a NUL byte/],
  ["no.tar", Buffer.from("x".repeat(600)), /is not a tar archive|is cut off/],
])("%s is rejected with one sentence", (name, contents, sentence) => {
  expect(() => readFiles(fileOf(name, contents))).toThrow(sentence);
});

test("a path without a file or with an empty directory is rejected with one sentence", () => {
  expect(() => readFiles(join(directory, "nosuch"))).toThrow(/there is no file or directory/);
  const empty = mkdtempSync(join(directory, "empty-"));
  expect(() => readFiles(empty)).toThrow(/contains no file that ends in/);
});

test("a dump contains neither Secrets nor ConfigMaps nor values of variables, and can be read again", () => {
  const container = { name: "c", image: "i", env: [{ name: "A", value: "hidden" }], args: ["--password=hidden"] };
  const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "s" }, data: { a: "hidden" } };
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", labels: { env: "prod", args: "x" }, managedFields: [{ manager: "hidden" }] },
    spec: { containers: [container] },
  };
  const refused = { apiVersion: "policy/v1", kind: "PodDisruptionBudget", refused: "no" };
  const text = dumpText({
    name: "f",
    objects: [secret, pod],
    listed: [{ apiVersion: "v1", kind: "Pod" }, refused],
    isWhole: false,
  });
  expect(text).not.toContain("hidden");
  // A label of the same name as a field decides which pods a selector matches.
  expect(text).toContain('"labels":{"env":"prod","args":"x"}');
  const again = readFiles(fileOf("dump.json", text));
  expect(again.objects.map(({ kind }) => kind)).toEqual(["Pod"]);
  expect(again.listed).toEqual([{ apiVersion: "v1", kind: "Pod" }, refused]);
});
