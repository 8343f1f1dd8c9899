// Behaves like a test run that is ended in the middle: it starts a cluster, a containerd and a
// program, prints that, and waits for its end. Usage: ends-early-main.ts CLUSTER CONTAINERD
// DIRECTORY
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { rememberCluster, kintsugi } from "../lab-cluster.ts";
import { startOwnContainerd } from "../node/own-containerd.ts";
import { runProgram } from "../run-program.ts";
import outliveRun from "./outlive-run.ts";

const [cluster = "", containerd = "", directory = ""] = process.argv.slice(2);
const kubeconfig = join(directory, "kubeconfig");
outliveRun();
await rememberCluster(cluster);
const up = await kintsugi([
  "up",
  "--name",
  cluster,
  "--nodes",
  "1",
  "--profile",
  "fast",
  "--no-csi",
  "--kubeconfig",
  kubeconfig,
]);
await startOwnContainerd({ name: containerd, directory: `/run/kt-${containerd}`, podCidr: "10.199.8.0/24" });
void runProgram("sleep", ["3600"]);
console.log(up.code === 0 ? "started" : up.stderr);
await setTimeout(600_000);
