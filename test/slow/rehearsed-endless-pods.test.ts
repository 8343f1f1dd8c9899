import { builtInKinds, type Job, type Kind } from "@kintsugi/api";
import { makePicture, nodesFromFlag, startState, timingsOf } from "@kintsugi/rehearsal";
import { drawnBehaviour, runQuestion, settle } from "@kintsugi/simulator/factory";
import { expect, test } from "vitest";

const timeout = 240_000;

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
