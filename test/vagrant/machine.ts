import { type ChildProcess, spawn } from "node:child_process";
import { openSync } from "node:fs";
import { join } from "node:path";
import { eventually, type ProgramResult, runProgram } from "../support/run-program.ts";

export const network = "10.200";
const bridge = "kvm-lab";
/** Emulated by software on a machine that does other things too: minutes are normal. */
const bootWaitMs = 900_000;
const commandWaitMs = 1_500_000;

/** A virtual machine of the lab: Debian with systemd and ssh, on the private bridge. */
export class Machine {
  readonly name: string;
  readonly address: string;
  readonly #box: string;
  readonly #directory: string;
  readonly #number: number;
  #process: ChildProcess | undefined;

  /** @param place where `box` holds what build-box.sh made, `directory` is this run's. */
  constructor(name: string, number: number, place: { box: string; directory: string }) {
    this.name = name;
    this.#number = number;
    this.address = `${network}.0.${number}`;
    this.#box = place.box;
    this.#directory = place.directory;
  }

  async create(): Promise<void> {
    await must("ip", ["tuntap", "add", "dev", this.#tap, "mode", "tap"]);
    await must("ip", ["link", "set", this.#tap, "master", bridge, "up"]);
    const base = join(this.#box, "disk.img");
    await must("qemu-img", ["create", "-q", "-f", "qcow2", "-F", "raw", "-b", base, this.#disk]);
  }

  /** Switches it on, and waits until it can be logged in to. */
  async start(): Promise<void> {
    const log = openSync(join(this.#directory, `${this.name}.qemu.log`), "a");
    const kernel = [
      "root=/dev/vda rw console=ttyS0 net.ifnames=0 quiet",
      `ip=${this.address}::${network}.0.1:255.255.0.0::eth0:off systemd.hostname=${this.name}`,
    ];
    const words = [
      "-accel tcg,thread=multi -cpu max -smp 1 -m 1024 -nodefaults -display none",
      `-kernel ${join(this.#box, "vmlinuz")} -initrd ${join(this.#box, "initrd.img")}`,
      `-drive file=${this.#disk},if=virtio,cache=unsafe`,
      `-netdev tap,id=lan,ifname=${this.#tap},script=no,downscript=no`,
      `-device virtio-net-pci,netdev=lan,mac=52:54:00:00:00:${this.#number} -device virtio-rng-pci`,
      `-serial file:${join(this.#directory, `${this.name}.console.log`)}`,
    ].flatMap((line) => line.split(" "));
    this.#process = spawn("qemu-system-x86_64", [...words, "-append", kernel.join(" ")], {
      stdio: ["ignore", log, log],
    });
    await eventually(
      `${this.name} can be logged in to`,
      async () => (await this.run("true", 20_000)).code === 0,
      bootWaitMs,
    );
  }

  /** As if somebody pulled the plug. */
  async kill(): Promise<void> {
    const process = this.#process;
    if (!process || process.exitCode !== null || process.signalCode !== null) return;
    const ended = new Promise((resolve) => process.once("exit", resolve));
    process.kill("SIGKILL");
    await ended;
  }

  async remove(): Promise<void> {
    await this.kill();
    await runProgram("ip", ["link", "delete", this.#tap]);
  }

  run(command: string, timeoutMs = commandWaitMs): Promise<ProgramResult> {
    return runProgram("ssh", [...this.#sshOptions, `root@${this.address}`, command], { timeoutMs });
  }

  /** @throws Error with what it said when it fails. */
  async must(command: string): Promise<string> {
    const { code, stdout, stderr } = await this.run(command);
    if (code !== 0) throw new Error(`on ${this.name}, ${command} ended with ${code}: ${stdout}${stderr}`);
    return stdout.trim();
  }

  async upload(file: string, target: string): Promise<void> {
    await must("scp", [...this.#sshOptions, file, `root@${this.address}:${target}`], commandWaitMs);
  }

  get #tap(): string {
    return `kvm-${this.#number}`;
  }

  get #disk(): string {
    return join(this.#directory, `${this.name}.qcow2`);
  }

  get #sshOptions(): string[] {
    const options = ["StrictHostKeyChecking=no", "UserKnownHostsFile=/dev/null", "LogLevel=ERROR", "ConnectTimeout=15"];
    return ["-i", join(this.#box, "ssh"), ...options.flatMap((option) => ["-o", option])];
  }
}

export async function createBridge(): Promise<void> {
  await must("ip", ["link", "add", bridge, "type", "bridge"]);
  await must("ip", ["address", "add", `${network}.0.1/16`, "dev", bridge]);
  await must("ip", ["link", "set", bridge, "up"]);
}

export async function removeBridge(): Promise<void> {
  await runProgram("ip", ["link", "delete", bridge]);
}

export async function must(program: string, args: readonly string[], timeoutMs = 600_000): Promise<string> {
  const { code, stdout, stderr } = await runProgram(program, args, { timeoutMs });
  if (code !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${code}: ${stdout}${stderr}`);
  return stdout;
}
