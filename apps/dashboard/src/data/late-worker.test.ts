import { expect, test } from "vitest";
import { lateWorker, type WorkerPart } from "./late-worker.ts";

function fakeWorkers() {
  const created: (WorkerPart<string, string> & { sent: string[] })[] = [];
  const create = () => {
    const sent: string[] = [];
    const worker = { sent, postMessage: (request: string) => void sent.push(request), onmessage: null, onerror: null };
    created.push(worker);
    return worker;
  };
  return { created, create };
}

test("a worker is created by its first request, once", () => {
  const { created, create } = fakeWorkers();
  const worker = lateWorker<string, string>(create);
  expect(created).toHaveLength(0);
  worker.postMessage("first");
  worker.start();
  worker.postMessage("second");
  expect(created.map(({ sent }) => sent)).toEqual([["first", "second"]]);
});

test("answers and errors of a late worker reach the handlers that were set before it started", () => {
  const { created, create } = fakeWorkers();
  const worker = lateWorker<string, string>(create);
  const heard: string[] = [];
  worker.onmessage = ({ data }) => heard.push(data);
  worker.onerror = ({ message }) => heard.push(message);
  worker.start();
  created[0]?.onmessage?.({ data: "an answer" } as MessageEvent<string>);
  created[0]?.onerror?.({ message: "an error" } as ErrorEvent);
  expect(heard).toEqual(["an answer", "an error"]);
});
