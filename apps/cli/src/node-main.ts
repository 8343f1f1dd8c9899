import { fileURLToPath } from "node:url";
import { profileNames } from "@kintsugi/api";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { flag, type LogLevel, readFlags, runService } from "@kintsugi/daemon";
import { runNodeMachine } from "@kintsugi/lab";

const program = {
  name: "kintsugi-node",
  description: "Runs a node on this machine or container: keeps containerd, kubelet and proxy running.",
};

void runService({
  name: "node",
  configure(argv) {
    const flags = readFlags(
      program,
      {
        "node-name": flag.text({ help: "Name of the node", required: true }),
        "node-ip": flag.text({ help: "Address of the machine, which the node's certificate names", required: true }),
        "pod-cidr": flag.text({ help: "Address range of this node's pods", required: true }),
        profile: flag.choice(profileNames, {
          help: "Profile that sets the defaults of all timers",
          fallback: "default",
        }),
        "machine-shared-by": flag.count({ min: 1, help: "Number of nodes that share the machine", fallback: 1 }),
        "identity-dir": flag.text({
          help: "Directory with tls.crt, tls.key, ca.crt and kubeconfig",
          fallback: "/etc/kintsugi",
        }),
        kubelet: flag.text({
          help: "Path of the kubelet's bundle",
          fallback: fileURLToPath(new URL("kubelet.mjs", import.meta.url)),
        }),
        proxy: flag.text({
          help: "Path of the proxy's bundle",
          fallback: fileURLToPath(new URL("proxy.mjs", import.meta.url)),
        }),
      },
      argv,
    );
    return { flags, logLevel: "info" as LogLevel };
  },
  start({ flags }, log) {
    const options = {
      nodeName: flags["node-name"],
      nodeIp: flags["node-ip"],
      podCidr: flags["pod-cidr"],
      profile: flags.profile,
      machineSharedBy: flags["machine-shared-by"],
      identityDirectory: flags["identity-dir"],
      kubeletCommand: [process.execPath, flags.kubelet],
      proxyCommand: [process.execPath, flags.proxy],
    };
    const run = (signal: AbortSignal) =>
      runNodeMachine({ clock: systemClock, random: systemRandom, log }, options, signal);
    return Promise.resolve([{ name: "node", run }]);
  },
});
