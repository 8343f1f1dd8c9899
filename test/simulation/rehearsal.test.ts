import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { builtInKinds, type Job, type Kind, type Pod } from "@kintsugi/api";
import {
  makePicture,
  nodesFromFlag,
  reportJson,
  reportText,
  type StartState,
  startState,
  timingsOf,
} from "@kintsugi/rehearsal";
import {
  drawnBehaviour,
  LocalRuns,
  prepare,
  readSource,
  RehearsedCluster,
  answerQuestions,
  runQuestion,
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

test(
  "a workload that makes pods without end ends the rollout and the run with a sentence",
  async () => {
    const objects = nodesFromFlag("1x4cpu16Gi");
    const picture = makePicture({ name: "f", objects, listed: [], isWhole: true });
    const made = startState(picture);
    const behaviour = drawnBehaviour(timingsOf(picture), made);
    // A Job that never finds its pods: the API server would have generated its selector.
    const kind = builtInKinds.find(({ type }) => type.kind === "Job") as Kind;
    // The pods fit nowhere, so that no kubelet starts them.
    const resources = { requests: { cpu: "100" } };
    const template = { spec: { restartPolicy: "Never" as const, containers: [{ name: "c", image: "i", resources }] } };
    const metadata = { name: "work", namespace: "default", uid: "work", creationTimestamp: "2026-01-01T00:00:00Z" };
    const job: Job = { apiVersion: "batch/v1", kind: "Job", metadata, spec: { completions: 1, template } };
    const broken = { ...made, objects: [...made.objects, { kind, object: job }] };
    const endless = /^default\/job\/work creates pods without end \(\d+ so far\)/m;
    expect((await settle(broken, behaviour, 1)).notes.at(-1)).toMatch(endless);
    const question = { kind: "nodes-off" as const, about: "a node goes", nodes: [made.nodes[0]?.metadata.name ?? ""] };
    const outcome = await runQuestion({ start: broken, behaviour }, { question, seed: 1 });
    expect(outcome.cutShort).toMatch(endless);
  },
  timeout,
);

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
  "ten quiet minutes after an import change no pod and no workload, with every kubelet %s",
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
  "a kubelet that wakes after a prepared start has no status to write",
  async () => {
    const picture = await pictureOf("zone-holds-all-volumes");
    const imported = startState(picture);
    const behaviour = drawnBehaviour(timingsOf(picture), imported);
    const written = async (start: typeof imported) => {
      await using cluster = new RehearsedCluster({ start, behaviour }, { seed: 7 });
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
    expect(await written(shown)).toBeGreaterThan(0);
    expect(await written(await prepare(shown, behaviour, 1))).toBe(0);
  },
  timeout,
);

/** The same pods, whose statuses lack a field that a kubelet writes. */
function withoutHostIps(start: StartState): StartState {
  const objects = start.objects.map(({ kind, object }) => {
    const { hostIPs: _, ...status } = (object as Pod).status ?? {};
    return kind.type.kind === "Pod" ? { kind, object: { ...object, status } } : { kind, object };
  });
  return { ...start, objects };
}
