import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { reservedKeys } from "../../apps/api-server/src/admission/reserved-keys.ts";
import { repository, type SourceFile, sourceFiles } from "./source-files.ts";

// docs/annotations.md lists each key with its writers and its readers. A component that begins to
// trust another key has to be listed there, so that its author considers the key's other writers.

/** Texts of the same form that are not keys of objects. */
const otherForms: readonly [pattern: RegExp, what: string][] = [
  [/\/v\d+(?:(?:alpha|beta)\d+)?(?: \w+)?$/, "API group and version"],
  [/^[a-z.]+\.k8s\.io\/[a-z]+$/, "API group and resource"],
  [/^(?:registry\.k8s|docker|ghcr)\.io\//, "image"],
  [/\/\*$/, "API group and something that is filled in"],
  [/^(?:kintsugi\.dev|kubernetes\.io|pod-security\.kubernetes\.io)\/$/, "prefix that names are compared with"],
  [/^acme\.io\/foo$/, "example in a message of upstream's"],
  [/^script\.kintsugi\.dev\//, "image of the fake runtime"],
];

const domains = /^(?:[a-z0-9-]+\.)+(?:io|dev|com|org|net)\/[A-Za-z0-9._*-]*$/;

/** The literal keys in a file, including keys of the runtime and a bare prefix. */
export function keysIn({ text }: Pick<SourceFile, "text">): string[] {
  const constants = [...text.matchAll(/const (\w+) = "([^"\n]+)";/g)].map(
    ([, name = "", value = ""]) => [name, value] as const,
  );
  const code = text.replace(/^\s*(?:\/\/|\/?\*).*$/gm, "");
  const plain = [...code.matchAll(/"((?:[^"\\\n]|\\.)*)"/g)].map(([, value = ""]) => value);
  const composed = [...code.matchAll(/`([^`\n]*)`/g)].map(([, value = ""]) =>
    constants
      .reduce((known, [name, constant]) => known.replaceAll(`\${${name}}`, constant), value)
      .replace(/\$\{[^}]*\}/g, "*"),
  );
  const indexed = [...code.matchAll(/metadata\.(?:annotations|labels)(?:\?\.|!)?\["([^"]+)"\]/g)].map(
    ([, value = ""]) => value,
  );
  const hashed = [...code.matchAll(/Label = "([^"\n]+)"/g)].map(([, value = ""]) => value);
  const literals = [...plain, ...composed].filter((value) => domains.test(value) || value.startsWith("io.kubernetes."));
  return [...new Set([...literals, ...indexed, ...hashed])].filter(
    (value) => !otherForms.some(([pattern]) => pattern.test(value)),
  );
}

interface Row {
  readonly keys: readonly string[];
  readonly cells: readonly string[];
}

function documented(): { all: Row[]; reserved: Row[] } {
  const sections = readFileSync(join(repository, "docs/annotations.md"), "utf8").split(/^## /m);
  const rowsOf = (section: string): Row[] =>
    [...section.matchAll(/^\| (.+) \|$/gm)]
      .map(([, line = ""]) => line.split(" | "))
      .filter(([first]) => !/^(?:key|name|-)/.test(first ?? ""))
      .map((cells) => ({ keys: [...(cells[0] ?? "").matchAll(/`([^`]+)`/g)].map(([, key = ""]) => key), cells }));
  const reserved = sections.find((section) => section.startsWith("Reserved keys")) ?? "";
  return { all: sections.flatMap(rowsOf), reserved: rowsOf(reserved) };
}

/** Tests and simulations write these to control a cluster; a cluster does not read them. */
const drivesClusters = /^(?:apps\/simulator|packages\/simulation)\/|\/testing\/|\.test\.ts$|\/openapi\//;

const sources = ["apps", "packages"]
  .flatMap((folder) => sourceFiles(folder))
  .filter(({ path }) => !drivesClusters.test(path));

describe("docs/annotations.md", () => {
  const { all, reserved } = documented();
  const listed = all.flatMap(({ keys }) => keys);

  test("lists every key that the code reads or writes", () => {
    const unlisted = sources.flatMap((file) =>
      keysIn(file)
        .filter((key) => !listed.includes(key))
        .map((key) => `${key} in ${file.path}`),
    );
    expect(unlisted).toEqual([]);
  });

  test("lists each key once, and only keys that the code has", () => {
    expect(listed.filter((key, index) => listed.indexOf(key) !== index)).toEqual([]);
    const text = sourceFiles("apps")
      .concat(sourceFiles("packages"))
      .filter(({ path }) => !path.endsWith(".test.ts"));
    const known = new Set(text.flatMap(keysIn));
    const composed = (key: string) =>
      text.some((file) => file.text.includes(`"${key}"`) || file.text.includes(`"${key}/`));
    expect(listed.filter((key) => !known.has(key) && !composed(key))).toEqual([]);
  });

  test("states for reserved keys the rules that the API server enforces", () => {
    const enforced = reservedKeys.map(({ key, map, on, writers }) => [
      key,
      `${map.slice(0, -1)} of a ${on.kind}`,
      writers,
    ]);
    const said = reserved.map(({ cells }) => cells.slice(0, 3).map((cell) => cell.replaceAll("`", "")));
    expect(said).toEqual(enforced);
  });
});

test("a planted key is detected, in any notation", () => {
  const text = [
    'const prefix = "example.io";',
    "const a = `${prefix}/one`;",
    'const b = "two.kintsugi.dev/two";',
    'if (pod.metadata.annotations?.["three"]) run();',
    'const fourLabel = "four";',
    '// "five.kubernetes.io/five" in a comment',
    'const version = "apps.k8s.io/v1";',
  ].join("\n");
  expect(keysIn({ text }).toSorted()).toEqual(["example.io/one", "four", "three", "two.kintsugi.dev/two"]);
});
