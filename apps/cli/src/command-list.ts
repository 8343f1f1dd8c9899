import type { Command } from "./base/command.ts";
import { cloud } from "./cloud/cloud-command.ts";
import { completion } from "./completion/completion-command.ts";
import { crash } from "./commands/crash.ts";
import { dashboard } from "./dashboard/dashboard-command.ts";
import { demo } from "./demo/demo-command.ts";
import { doctor } from "./commands/doctor.ts";
import { down } from "./lifecycle/down.ts";
import { drain, uncordon } from "./drain/drain-command.ts";
import { envtestAssets } from "./envtest/envtest-assets-command.ts";
import { exporting } from "./logs/export-command.ts";
import { explain } from "./explain/explain-command.ts";
import { hollow } from "./commands/hollow.ts";
import { image } from "./images/image-command.ts";
import { init } from "./commands/init.ts";
import { importImages, join } from "./commands/join.ts";
import { kubeconfig } from "./commands/kubeconfig.ts";
import { learn } from "./simulation/learn.ts";
import { list } from "./commands/list.ts";
import { logs } from "./logs/logs-command.ts";
import { node } from "./commands/node.ts";
import { playground } from "./playground/playground-command.ts";
import { rebalance } from "./rebalance/rebalance-command.ts";
import { rehearse } from "./simulation/rehearse.ts";
import { restart } from "./commands/restart.ts";
import { server } from "./servers/server-command.ts";
import { simulate } from "./simulation/simulate.ts";
import { snapshot } from "./commands/snapshot.ts";
import { clock } from "./steering/clock-command.ts";
import { fault } from "./steering/fault-command.ts";
import { gameday } from "./steering/gameday-command.ts";
import { gym } from "./steering/gym-command.ts";
import { mark, reset } from "./steering/mark-commands.ts";
import { start, stop } from "./lifecycle/stop.ts";
import { status } from "./commands/status.ts";
import { testServer } from "./commands/test-server.ts";
import { timeline } from "./timeline/timeline-command.ts";
import { token } from "./commands/token.ts";
import { up } from "./lifecycle/up-command.ts";

/** Every command, in the order of `kintsugi help`. */
export const commands: readonly Command[] = [
  up,
  down,
  stop,
  start,
  list,
  status,
  logs,
  exporting,
  kubeconfig,
  node,
  server,
  cloud,
  image,
  drain,
  uncordon,
  restart,
  crash,
  rebalance,
  timeline,
  explain,
  dashboard,
  snapshot,
  init,
  token,
  join,
  importImages,
  demo,
  learn,
  simulate,
  rehearse,
  hollow,
  testServer,
  envtestAssets,
  playground,
  clock,
  mark,
  reset,
  fault,
  gym,
  gameday,
  doctor,
  completion,
];
