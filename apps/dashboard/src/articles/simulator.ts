import type { PlayAnswer, PlayRequest } from "@kintsugi/story";

type Answer = Extract<PlayAnswer, { is: "played" | "refused" }>;

interface Waiting {
  readonly resolve: (answer: Answer) => void;
  readonly onProgress: (part: number) => void;
}

let isReady: Promise<Worker> | undefined;
/** The worker simulates one run after another, and answers in the same order. */
const waiting: Waiting[] = [];

/**
 * Simulates a request in this tab; the first request starts the worker.
 * @param onProgress called with the simulated part of the run, 0 to 1
 */
export async function simulateInTab(request: PlayRequest, onProgress: (part: number) => void): Promise<Answer> {
  isReady ??= start();
  const worker = await isReady;
  return new Promise((resolve) => {
    waiting.push({ resolve, onProgress });
    worker.postMessage(request);
  });
}

function start(): Promise<Worker> {
  // The articles are in a folder of the playground, which has the program.
  const path = location.pathname.includes("/articles/") ? "../simulator.js" : "simulator.js";
  const worker = new Worker(new URL(path, document.baseURI), { type: "module" });
  return new Promise((resolve) => {
    worker.onmessage = ({ data }: MessageEvent<PlayAnswer>) => {
      if (data.is === "ready") resolve(worker);
      else if (data.is === "simulated") waiting[0]?.onProgress(data.part);
      else if (data.is === "played" || data.is === "refused") waiting.shift()?.resolve(data);
    };
    worker.onerror = ({ message }) => {
      const because = `The simulation has ended: ${message || "its program cannot be loaded"}`;
      resolve(worker);
      for (const { resolve: answer } of waiting.splice(0)) answer({ is: "refused", because });
    };
  });
}
