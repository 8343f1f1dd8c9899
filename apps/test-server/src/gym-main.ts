import type { Logger } from "@kintsugi/api";
import { systemClock, systemRandom, untilAborted } from "@kintsugi/clock";
import { endWithReader, type Loop, runService } from "@kintsugi/daemon";
import { publishKubeconfig } from "./access/published-kubeconfig.ts";
import { kubectlEnvironment } from "./config.ts";
import { program } from "./program.ts";
import { causesText, type GymConfig, incidentsText, readGymFlags } from "./gym/gym-flags.ts";
import { startIncident } from "./start-incident.ts";
import { untilParentEnds } from "./parent-process.ts";

const [, , command] = process.argv;
endWithReader(process.stdout);
if (command === "list") process.stdout.write(incidentsText());
else if (command === "causes") process.stdout.write(causesText());
else void runService({ name: "gym", umask: 0o077, isStartedByHand: true, configure: readGymFlags, start });

async function start(config: GymConfig, log: Logger): Promise<readonly Loop[]> {
  const { incident, seed, kubeconfig, contextName, json, withParent } = config;
  const deps = { clock: systemClock, random: systemRandom, log };
  const started = await startIncident(deps, {
    incident,
    seed,
    options: program.readConfig(["--clock=steered", "--nodes=4"]),
  });
  const { server } = started;
  const published = await publishKubeconfig({ clock: systemClock }, server, {
    kubeconfig,
    contextName,
    isPrivate: json,
    environment: kubectlEnvironment(),
  });
  const say = (line: string) => void process.stdout.write(`${line}\n`);
  const run = async (signal: AbortSignal) => {
    try {
      await Promise.race([started.begin(), server.failed, untilAborted(signal)]);
      if (!signal.aborted) say(json ? line() : text());
      await Promise.race([server.failed, untilAborted(signal)]);
    } finally {
      await published.remove();
      await server[Symbol.asyncDispose]();
    }
  };
  const { symptom, name } = incident;
  const line = () => {
    const { url, identities } = server;
    const ca = identities.authority.certificate;
    const { file, context } = published;
    const access = { server: url, kubeconfig: file, context, ca, token: identities.token };
    return JSON.stringify({ type: "began", incident: name, seed, symptom, ...access, pid: process.pid });
  };
  const text = () =>
    [
      symptom,
      "",
      `  kubectl --kubeconfig ${published.file} --context ${published.context} --namespace shop get pods,events`,
      "",
      "Mend the fault as in a production cluster: do not remove or shrink anything that its users need.",
      "The clock runs in real time, and `kintsugi clock advance 5m` moves it. `kintsugi gym causes` lists the causes, and",
      "`kintsugi gym check --cause CAUSE` checks your answer. Ctrl-C ends the cluster.",
    ].join("\n");
  const parent: Loop = { name: "parent process", run: (signal) => untilParentEnds(signal) };
  return [{ name: "incident", run }, ...(withParent ? [parent] : [])];
}
