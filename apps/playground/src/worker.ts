import "./node/globals.ts";
import { systemClock } from "@kintsugi/clock";
import { recordScenario, readScenario } from "@kintsugi/simulator/factory";
import type { PlayAnswer, PlayRequest } from "@kintsugi/story";
import { shippedScenarios } from "shipped-scenarios";
import { readRequest } from "./read-request.ts";

// The program of the worker: it lives through one life after another, each with the real services
// under a virtual clock, and answers with its recording.

const texts = new Map(Object.entries(shippedScenarios));
const answer = (message: PlayAnswer) => postMessage(message);
let work = Promise.resolve();

onmessage = ({ data }: { data: PlayRequest }) => {
  work = work.then(() => play(data));
};

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
