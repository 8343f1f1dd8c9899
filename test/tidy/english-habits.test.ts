import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { areaOf, ceilingFaults, habits, habitsIn, lowered, proseOf, habitShare, sharesOf } from "./english-habits.ts";
import { repository, sourceFiles, workspaces } from "./source-files.ts";

const ceilingsFile = join(repository, "test/tidy/english-ceilings.json");
const shares = sharesOf([
  ...[...workspaces(), "test", "tools"].flatMap((place) => sourceFiles(place)),
  ...sourceFiles(".", ".md").filter(({ path }) => path !== "STYLE.md"),
]);

/** Reads the ceilings; LOWER_CEILINGS=1 first lowers the ceilings whose shares have fallen. */
function readCeilings(): Record<string, number> {
  const ceilings = JSON.parse(readFileSync(ceilingsFile, "utf8")) as Record<string, number>;
  if (process.env["LOWER_CEILINGS"] === undefined) return ceilings;
  const next = lowered(ceilings, shares);
  writeFileSync(ceilingsFile, `${JSON.stringify(next, undefined, 2)}\n`);
  return next;
}

test("the share of unusual English in each area only falls", () => {
  expect(ceilingFaults(readCeilings(), shares)).toEqual([]);
});

test("a share over its ceiling, a ceiling far over its share, and a removed area are detected", () => {
  const found = ceilingFaults(
    { "docs/design": 10, "docs/recipes": 10, "apps/gone": 1 },
    new Map([
      ["docs/design", { share: 10.1, worst: ['docs/design/a.md: "anew"'] }],
      ["docs/recipes", { share: 6.9, worst: [] }],
      ["apps/new", { share: 2, worst: [] }],
    ]),
  );
  expect(found).toEqual([
    'docs/design has 10.1 habits per 1,000 words, and its ceiling is 10: docs/design/a.md: "anew"',
    "docs/recipes has fallen to 6.9 below its ceiling of 10: run this test with LOWER_CEILINGS=1",
    "apps/gone has a ceiling and no text: remove it from english-ceilings.json",
  ]);
});

test("lowering keeps valid ceilings, and gives a new area its share", () => {
  const now = new Map([
    ["apps/a", { share: 4.21, worst: [] }],
    ["apps/b", { share: 9, worst: [] }],
    ["apps/c", { share: 7, worst: [] }],
  ]);
  expect(lowered({ "apps/a": 6, "apps/b": 8, "apps/gone": 3 }, now)).toEqual({
    "apps/a": 4.3,
    "apps/b": 8,
    "apps/c": 7,
  });
});

const style = readFileSync(join(repository, "STYLE.md"), "utf8");

/**
 * Returns the pairs in the table of habits: the habit's name, the wrong text and the right text.
 */
const pairs = [...style.matchAll(/^\| ([a-zA-Z' ]+) \| "(.+?)" \| "(.+?)" \|$/gm)].map(
  ([, name = "", wrong = "", right = ""]) => ({ name, wrong, right }),
);

test("STYLE.md has a pair for each habit", () => {
  expect(new Set(pairs.map(({ name }) => name))).toEqual(new Set(habits.map(({ name }) => name)));
});

test.each(pairs)("$name is detected in: $wrong", ({ name, wrong, right }) => {
  expect(habitsIn(wrong).hits[name]).not.toEqual([]);
  expect(Object.values(habitsIn(right).hits).flat()).toEqual([]);
});

// A text in the manner of Kubernetes' own pages about nodes and pods.
const plain = `
The kubelet creates its Lease and updates it every 10 seconds. Lease updates occur independently of
updates to the Node's status. If an update fails, the kubelet retries with exponential back-off that
starts at 200 milliseconds and is capped at 7 seconds.

If the Ready condition remains Unknown for longer than the grace period, the node controller taints
the node. Pods that do not tolerate the taint are then deleted. The controller does not force-delete
a pod, because it cannot confirm that the pod's containers have stopped. In the meantime, the pods
may continue to run on the partitioned node.

- A container that exits is restarted with a delay of 10, 20 and 40 seconds, up to 5 minutes.
- Once a container has run for 10 minutes, the kubelet resets its delay.
- If there are no healthy nodes, evictions stop until one of the nodes renews its Lease. Otherwise,
  the controller evicts at the normal rate.
- A field that has no default is optional: the server stores it as it was sent.

The second server is no longer needed and there is no limit on the number of nodes. Use
\`kubectl describe\` to see what is wrong. Requests go to the next healthy server.
`;

test("plain technical English passes", () => {
  expect(Object.values(habitsIn(proseOf({ path: "plain.md", text: plain })).hits).flat()).toEqual([]);
});

test("code, quoted words and links of a document are not part of its English", () => {
  const text = 'The "anew" of `all that` is [here](anew.md).\n\n```\nas ever\n```\n';
  expect(habitShare(habitsIn(proseOf({ path: "a.md", text })))).toBe(0);
});

test("a source file's English is its comments, help texts, descriptions and titles of tests", () => {
  const text = [
    "/**\n * The server goes\n * away.\n */",
    'const a = "as ever";',
    'const b = flag.text({ help: "Start anew" });',
    'test("a server tells its address", () => undefined);',
    "const c = 1; // as ever",
    'const D = kind("io.k8s.D", "A D has parts.", () => ({',
    '  a: field(1, oneOf("A", "B"), "Kind of the D: A or B."),',
    "  b: required(",
    "    2,",
    '    keyedList(D, ["a"]),',
    '    "Parts of the D.",',
    "  ),",
    "}));",
    'const columns = [column("Name", "Name of the D.")];',
  ].join("\n");
  expect(proseOf({ path: "a.ts", text }).split("\n")).toEqual([
    "The server goes away.",
    "Start anew",
    "a server tells its address",
    "A D has parts.",
    "Kind of the D: A or B.",
    "Parts of the D.",
    "Name of the D.",
  ]);
});

test("a README is an area, and so is a workspace's source", () => {
  expect(areaOf("apps/kubelet/README.md")).toBe("apps/kubelet/README.md");
  expect(areaOf("apps/kubelet/src/main.ts")).toBe("apps/kubelet");
  expect(areaOf("docs/design/store.md")).toBe("docs/design");
  expect(areaOf("docs/glossary.md")).toBe("docs/glossary.md");
  expect(areaOf("test/chaos/run.ts")).toBe("test/chaos");
});
