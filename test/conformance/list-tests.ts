import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

// The list of all conformance tests of Kubernetes 1.36 and how each is checked here, made of
// names.tsv, of the tests in this folder, and of the reasons below.

export interface Listed {
  readonly codename: string;
  readonly area: string;
  /**
   * The parts of a cluster that the test needs: from A, the API server only, to F, webhooks in
   * pods.
   */
  readonly tier: string;
  /** Upstream's binary of Kubernetes 1.20.2, which can be built here, has the test. */
  readonly isInBinary: boolean;
  /** The files that have a test of the name, by their paths below `test`. */
  readonly files: readonly string[];
}

/** Tests that cannot pass on a cluster here, with the reason. */
const cannotHere: Readonly<Record<string, string>> = {
  "[sig-node] ImageVolume should succeed with pod and pull policy of Always [LinuxOnly] [MinimumKubeletVersion:1.35] [Conformance]":
    "image volumes need containerd 2.1, and the clusters here have 1.6; `test/runtimes/image-volumes.test.ts` mounts them on 2.1",
};

/** Tests of the binary of 1.20.2 that are outdated there, with the reason. */
const outdated: Readonly<Record<string, string>> = {
  "[sig-cli] Kubectl client Kubectl version should check is all data is printed [Conformance]":
    "the old test expects the wording of `kubectl version` before 1.28",
  "[sig-auth] ServiceAccounts should allow opting out of API token automount [Conformance]":
    "the old test waits for a token Secret that clusters made until 1.24",
  "[sig-api-machinery] CustomResourcePublishOpenAPI [Privileged:ClusterAdmin] works for CRD with validation schema [Conformance]":
    'the old test expects `unknown field "foo"`, and servers name the whole path since 1.25',
  "[sig-auth] ServiceAccounts should mount an API token into pods [Conformance]":
    "the old test waits for a token Secret that clusters made until 1.24",
};

export const beginMark =
  "<!-- The list of tests begins; `npx tsx --conditions @kintsugi/source test/conformance/write-list.ts` writes it. -->";
export const endMark = "<!-- The list of tests ends. -->";

/** Reads the names, and finds the tests here. */
export function listTests(directory: string = import.meta.dirname): Listed[] {
  const tests = join(directory, "..");
  const sources = [basename(directory), "slow/conformance"].flatMap((folder) =>
    readdirSync(join(tests, folder))
      .filter((file) => file.endsWith(".test.ts"))
      .sort()
      .map((file) => [`${folder}/${file}`, readFileSync(join(tests, folder, file), "utf8")] as const),
  );
  const [, ...lines] = readFileSync(join(directory, "names.tsv"), "utf8").trimEnd().split("\n");
  return lines.map((line) => {
    const [codename = "", , area = "", tier = "", , inBinary] = line.split("\t");
    const files = sources.filter(([, source]) => source.includes(JSON.stringify(codename))).map(([file]) => file);
    return { codename, area, tier, isInBinary: inBinary === "yes", files };
  });
}

/** Describes how one test is checked, in a table cell. */
export function howChecked({ codename, isInBinary, files }: Listed): string {
  const [file] = files;
  if (file !== undefined) return `[${file.replace("conformance/", "")}](../test/${file})`;
  const reason = cannotHere[codename];
  if (reason !== undefined) return `cannot pass here: ${reason}`;
  const old = outdated[codename];
  if (old !== undefined) return `upstream's binary of 1.20.2 fails: ${old}`;
  return isInBinary ? "upstream's binary of 1.20.2" : "no test here yet";
}

/** Writes the section of docs/conformance.md between its marks. */
export function formatTestList(listed: readonly Listed[]): string {
  const count = (isCounted: (test: Listed) => boolean) => listed.filter(isCounted).length;
  const own = count(({ files }) => files.length > 0);
  const onClusters = count(({ files: [file] }) => file?.startsWith("slow/") === true);
  const cannot = count(({ codename }) => cannotHere[codename] !== undefined);
  const byBinary = count((test) => test.files.length === 0 && test.isInBinary);
  const open = listed.length - own - cannot - byBinary;
  const rows = listed.map(
    (test) => `| ${test.area} | ${test.tier} | ${escaped(test.codename)} | ${howChecked(test)} |`,
  );
  return [
    beginMark,
    "",
    `Of the ${listed.length} conformance tests of Kubernetes 1.36, ${own} are reimplemented in this repository: ${own - onClusters} in \`test/conformance\`,`,
    `which run with JSON and with protobuf, and ${onClusters} in \`test/slow/conformance\`, which need containers or their network, and run on a cluster of \`kintsugi up\`.`,
    `${byBinary} were run with upstream's binary of 1.20.2, ${cannot} cannot pass here, and ${open} have no test here yet.`,
    "",
    "| area | tier | test | how it is checked here |",
    "|---|---|---|---|",
    ...rows,
    "",
    endMark,
  ].join("\n");
}

/** Replaces the section in the document. @throws Error where the marks are missing. */
export function withList(document: string, list: string): string {
  const [begin, end] = [document.indexOf(beginMark), document.indexOf(endMark)];
  if (begin === -1 || end < begin) throw new Error("docs/conformance.md has no place for the list of tests");
  return document.slice(0, begin) + list + document.slice(end + endMark.length);
}

function escaped(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("*", "\\*");
}
