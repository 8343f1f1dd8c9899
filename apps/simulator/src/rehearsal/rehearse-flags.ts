import { questionSubjects } from "@kintsugi/rehearsal";
import { flag, type FlagValues } from "@kintsugi/daemon";

export const outputs = ["table", "json", "html", "junit", "markdown"] as const;

/** More runs do not change any percentile in a report. */
const runsMax = 200;
/** A larger number of processes would only compete for memory and time. */
const workersMax = 16;
const surgeMax = 100;
const hourMs = 3_600_000;
/** The file of a longer record is larger than a rehearsal reads. */
export const recordMaxMs = 14 * 24 * hourMs;

export const rehearseProgram = {
  name: "kintsugi rehearse",
  description:
    "Imports a cluster, simulates its failures in virtual time, and reports which workloads are down, for how long and why. The program only reads the cluster.",
  operands: {
    name: "word",
    help: "dump: write the cluster to standard output, without Secrets and ConfigMaps; record: write the cluster and its changes; replay FILE: write a scenario of what a record or an audit log shows",
    many: true,
  },
};

export const rehearseFlags = {
  from: flag.text({
    help: "File, directory or archive with the cluster's objects; - for standard input (default: a live cluster)",
  }),
  kubeconfig: flag.path({ help: "Kubeconfig of a live cluster (default: KUBECONFIG, else ~/.kube/config)" }),
  context: flag.text({ help: "Context of the kubeconfig (default: its current context)" }),
  for: flag.durationMs({
    help: "Length of a record",
    fallback: 24 * hourMs,
  }),
  until: flag.text({ help: "Time in a record whose state is used, such as 2026-11-28T14:00:00Z (default: its end)" }),
  nodes: flag.text({ help: "Nodes to add to manifests, such as 3x4cpu16Gi@a,b,c: count, processors, memory, zones" }),
  every: flag.choice(questionSubjects, {
    help: "Subjects whose failures are simulated one after the other (default: node)",
  }),
  scenario: flag.path({ help: "File with faults and their times; the file names nodes and workloads of the cluster" }),
  without: flag.text({
    help: "Dependencies that do not respond in the meantime: webhook/NAME or service/NAMESPACE/NAME, separated by commas",
  }),
  with: flag.text({
    help: "File or directory with changed manifests or patches: each question is asked before and after them",
  }),
  "drain-all": flag.switch({
    help: "Simulate a drain of all nodes, one after the other, and report the node at which it stops",
  }),
  upgrade: flag.switch({ help: "Simulate a drain and reboot of all nodes, one after the other" }),
  surge: flag.count({ help: "Further nodes during --upgrade", max: surgeMax, fallback: 0 }),
  runs: flag.count({
    help: "Simulated runs of each question, each with its own random numbers",
    min: 1,
    max: runsMax,
    fallback: 3,
  }),
  seed: flag.count({ help: "Seed of all random numbers", min: 1, max: 9_999_999_999, fallback: 1 }),
  workers: flag.count({ help: "Processes that simulate (default: one for each processor)", min: 1, max: workersMax }),
  output: flag.choice(outputs, { help: "Format of the report", fallback: "table" }),
  "fail-on": flag.text({
    help: "Exit with 1 on any of downtime>30s,budget,pending,stuck,drain, and with --with, worse",
  }),
  changes: flag.boolean({ help: "Try the most promising changes", fallback: true }),
  "print-role": flag.switch({ help: "Print the read-only ClusterRole that a rehearsal of a live cluster needs" }),
  "print-dump-command": flag.switch({ help: "Print a command of kubectl that writes a cluster to cluster.json" }),
};

export type RehearseFlags = FlagValues<typeof rehearseFlags>;
