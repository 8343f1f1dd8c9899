import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Pod } from "@kintsugi/api";
import {
  makePicture,
  packStart,
  reportJson,
  reportText,
  type StartState,
  startState,
  timingsOf,
  unpackStart,
} from "@kintsugi/rehearsal";
import {
  drawnBehaviour,
  LocalRuns,
  prepare,
  readSource,
  RehearsedCluster,
  runQuestion,
  answerQuestions,
  settle,
} from "@kintsugi/simulator/factory";
import { describe, expect, test } from "vitest";

const examples = fileURLToPath(new URL("../../demo/rehearsals", import.meta.url));
const minutes = (count: number) => count * 60_000;
const timeout = 240_000;

async function sourceOf(example: string) {
  const from = join(examples, example);
  const source = await readSource({ from, kubeconfig: undefined, context: undefined, nodes: undefined }, () => {});
  return { ...source, name: `demo/rehearsals/${example}` };
}

async function pictureOf(example: string) {
  return makePicture(await sourceOf(example));
}

/** The report of an example, with the question in the second line of its file. */
async function reportOf(example: string) {
  const [, line = ""] = readFileSync(join(examples, example, "cluster.yaml"), "utf8").split("\n");
  const subject = /--every (\S+)/.exec(line)?.[1] as "node" | undefined;
  const source = await sourceOf(example);
  return answerQuestions(
    makePicture(source),
    { workers: new LocalRuns(), onProgress: () => {} },
    {
      every: subject,
      drainAll: line.includes("--drain-all"),
      upgrade: line.includes("--upgrade"),
      surge: Number(/--surge (\d+)/.exec(line)?.[1] ?? 0),
      runs: 1,
      seed: 1,
      changes: true,
      isUnsettled: source.isWhole,
    },
  );
}

describe("the example clusters", () => {
  test.each(readdirSync(examples).filter((name) => !name.includes(".")))(
    "%s has its report",
    async (example) => {
      const report = readFileSync(join(examples, example, "report.txt"), "utf8");
      expect(`${reportText(await reportOf(example)).join("\n")}\n`).toBe(report);
    },
    timeout,
  );

  test(
    "the same source and seed result in the same report, byte for byte",
    async () => {
      expect(reportJson(await reportOf("fits-nowhere-else"))).toBe(reportJson(await reportOf("fits-nowhere-else")));
    },
    timeout,
  );
});

test.each([
  ["asleep", false],
  ["awake", true],
])(
  "ten quiet minutes after an import do not change pods or workloads, with every kubelet %s",
  async (_, isAwake) => {
    const picture = await pictureOf("zone-holds-all-volumes");
    const made = startState(picture);
    const behaviour = drawnBehaviour(timingsOf(picture), made);
    const start = await settle(made, behaviour, 1);
    await using cluster = new RehearsedCluster({ start, behaviour }, { seed: 2 });
    await cluster.start();
    if (isAwake) for (const node of cluster.nodes) node.wake();
    const changed: string[] = [];
    // The first status of a new kubelet has its own text.
    await cluster.advance(minutes(0.5));
    cluster.store.subscribe((changes) => {
      for (const { resource, type, entry } of changes)
        if (resource === "core/pods" || resource.startsWith("apps/")) changed.push(`${type} ${entry.key}`);
    });
    await cluster.advance(minutes(10));
    expect(changed).toEqual([]);
    const uids = new Set(
      start.objects.filter(({ kind }) => kind.type.kind === "Pod").map(({ object }) => object.metadata.uid),
    );
    expect(new Set([...cluster.pods.all()].map(({ metadata }) => metadata.uid))).toEqual(uids);
  },
  timeout,
);

test(
  "a kubelet that wakes does not write the statuses of pods that it need not manage",
  async () => {
    const picture = await pictureOf("zone-holds-all-volumes");
    const imported = startState(picture);
    const behaviour = drawnBehaviour(timingsOf(picture), imported);
    const written = async (start: typeof imported, managesAllPods: boolean) => {
      await using cluster = new RehearsedCluster({ start, behaviour }, { seed: 7, managesAllPods });
      await cluster.start();
      await cluster.advance(minutes(1));
      let writes = 0;
      cluster.store.subscribe((changes) => {
        writes += changes.filter(({ resource }) => resource === "core/pods").length;
      });
      for (const node of cluster.nodes) node.wake();
      await cluster.advance(minutes(1));
      return writes;
    };
    const shown = withoutHostIps(await settle(imported, behaviour, 1));
    const withoutVolumes = { ...shown, objects: shown.objects.map(withoutVolumesOfPod) };
    expect(await written(withoutVolumes, true)).toBeGreaterThan(0);
    expect(await written(withoutVolumes, false)).toBe(0);
  },
  timeout,
);

test(
  "a run whose controllers begin with the unfinished keys has the outcome of a run with all keys",
  async () => {
    const picture = await pictureOf("zone-holds-all-volumes");
    const imported = startState(picture);
    const behaviour = drawnBehaviour(timingsOf(picture), imported);
    const start = await prepare(await settle(imported, behaviour, 1), behaviour, 1);
    const unfinished = Object.values(start.unfinishedKeys ?? {}).flat().length;
    expect(unfinished).toBeLessThan(start.objects.length / 10);
    const [{ metadata } = { metadata: {} }] = start.nodes;
    const question = { kind: "nodes-off" as const, about: "a node is off", nodes: [metadata.name ?? ""] };
    const packed = unpackStart(structuredClone(packStart(start)));
    const outcome = await runQuestion({ start: packed, behaviour }, { question, seed: 3 });
    expect(outcome.workloads.length).toBeGreaterThan(0);
    const all = await runQuestion({ start: { ...start, unfinishedKeys: undefined }, behaviour }, { question, seed: 3 });
    expect(outcome).toEqual(all);
  },
  timeout,
);

function withoutVolumesOfPod({ kind, object }: StartState["objects"][number]) {
  if (kind.type.kind !== "Pod") return { kind, object };
  const { volumes: _, ...spec } = (object as Pod).spec ?? { containers: [] };
  return { kind, object: { ...object, spec } };
}

/** The same pods, whose statuses lack a field that a kubelet writes. */
function withoutHostIps(start: StartState): StartState {
  const objects = start.objects.map(({ kind, object }) => {
    const { hostIPs: _, ...status } = (object as Pod).status ?? {};
    return kind.type.kind === "Pod" ? { kind, object: { ...object, status } } : { kind, object };
  });
  return { ...start, objects };
}
