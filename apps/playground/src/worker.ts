import "./node/globals.ts";
import { systemClock } from "@kintsugi/clock";
import { readDocuments } from "@kintsugi/rehearsal";
import { readRequest, readScenario, recordScenario, rehearseFor } from "@kintsugi/simulator/factory";
import type { PlayAnswer, PlayRequest, RehearseRequest } from "@kintsugi/story";
import { exampleClusters, shippedScenarios } from "shipped-scenarios";

// The program of the worker: it lives through one life after another, each with the real services
// under a virtual clock, and answers with its recording.

const texts = new Map(Object.entries(shippedScenarios));
const answer = (message: PlayAnswer) => postMessage(message);
let work = Promise.resolve();

onmessage = ({ data }: { data: PlayRequest | RehearseRequest }) => {
  work = work.then(() => ("rehearse" in data ? rehearse(data) : play(data)));
};

async function rehearse({ rehearse: example, flags }: RehearseRequest): Promise<void> {
  try {
    const text = Object.hasOwn(exampleClusters, example) ? exampleClusters[example] : undefined;
    if (text === undefined) throw new Error(`there is no example cluster "${example}"`);
    const name = `the example ${example}`;
    const source = { ...readDocuments(text, name), name, isWhole: true };
    const subject = { is: "rehearsal", example, flags, proof: [] } as const;
    answer({ is: "rehearsed", lines: await rehearseFor(subject, source) });
  } catch (error) {
    answer({ is: "refused", because: (error as Error).message });
  }
}

async function play(request: PlayRequest): Promise<void> {
  const startedMs = systemClock.monotonicMs();
  try {
    const { report, story } = await recordScenario(readRequest(request, texts));
    const { digest, failure } = report;
    const tookMs = systemClock.monotonicMs() - startedMs;
    answer({ is: "played", recording: story(), digest, ...(failure === undefined ? {} : { failure }), tookMs });
  } catch (error) {
    answer({ is: "refused", because: (error as Error).message });
  }
}

answer({
  is: "ready",
  scenarios: [...texts].map(([name, text]) => {
    const { description, scenario } = readScenario({ text, source: `${name}.yaml` });
    return { name, description, profile: scenario.profile };
  }),
});
