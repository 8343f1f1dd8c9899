import type { Lease } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import type { EventRecorders } from "../events/event-recorders.ts";
import { fencedClient } from "./fenced-client.ts";
import { type LeaderElectionDeps, type LeaderElectionOptions, runForElection } from "./run-for-election.ts";

export interface WorkInTerms {
  /** The process works without electing a leader where this is absent. */
  readonly election: LeaderElectionOptions | undefined;
  /** Does the work of one term. `writer` refuses writes when this process no longer leads. */
  readonly work: (term: AbortSignal, writer: Client) => Promise<void>;
}

/** Works whenever this process leads, or all the time without an election. */
export async function workInTerms(
  deps: Omit<LeaderElectionDeps, "recordEvent"> & { client: Client; recorders: EventRecorders },
  { election, work }: WorkInTerms,
  signal: AbortSignal,
): Promise<void> {
  const { client, recorders } = deps;
  if (election === undefined) return work(signal, client);
  const elector = recorders.of(election.name);
  const recordEvent = (lease: Lease, message: string) =>
    elector.record(lease, { type: "Normal", reason: "LeaderElection", message });
  return runForElection({ ...deps, recordEvent }, election, (lead) =>
    lead(signal, (term, leadership) => work(term, fencedClient(client, leadership))),
  );
}
