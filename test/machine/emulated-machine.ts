import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { systemClock } from "@kintsugi/clock";
import { freePort } from "../support/free-port.ts";
import { eventually, mustRun, type ProgramResult, runProgram } from "../support/run-program.ts";

export interface MachineOptions {
  /** The directory of the machine's own files, which remain. */
  directory: string;
  /** The box that test/vagrant/build-box.sh has made. */
  box: string;
  /** A disk with additional files for the machine: its /dev/vdb. */
  disk: string;
  memoryMebibytes: number;
  /** Time after which the machine is terminated, in any state. */
  runMaxMs: number;
}

/** A boot takes a minute; on a busy host, several. */
const bootMaxMs = 600_000;
/** Each check is a connection for an emulated processor. */
const lookAgainMs = 2_000;

/**
 * One machine that qemu emulates, with the box of the Vagrant lab: Debian 12 booted by systemd, so
 * with cgroup v2.
 */
export class EmulatedMachine implements AsyncDisposable {
  readonly #directory: string;
  readonly #qemu: ChildProcess;
  readonly #port: number;

  private constructor(directory: string, qemu: ChildProcess, port: number) {
    this.#directory = directory;
    this.#qemu = qemu;
    this.#port = port;
  }

  /**
   * @throws Error when the machine has not booted after ten minutes; the machine is then
   * terminated.
   */
  static async boot(options: MachineOptions): Promise<EmulatedMachine> {
    const { directory, box, disk } = options;
    const file = (name: string) => join(directory, name);
    await mustRun("tar", ["-xf", join(box, "kintsugi.box"), "-C", directory, "box.img", "ssh"]);
    await mustRun("qemu-img", ["create", "-q", "-f", "qcow2", "-b", "box.img", "-F", "qcow2", file("disk.qcow2")]);
    const port = await freePort();
    const args = `-accel tcg,thread=multi,tb-size=512 -cpu max -smp 2 -m ${options.memoryMebibytes} -no-reboot
      -display none -monitor none -serial file:${file("console.log")}
      -kernel ${join(box, "vmlinuz")} -initrd ${join(box, "initrd.img")}
      -drive file=${file("disk.qcow2")},if=virtio,cache=unsafe -drive file=${disk},format=raw,if=virtio,cache=unsafe
      -netdev user,id=n,hostfwd=tcp:127.0.0.1:${port}-:22 -device virtio-net,netdev=n`.split(/\s+/);
    const kernelArgs = "root=/dev/vda rw console=ttyS0 net.ifnames=0 quiet mitigations=off";
    // However this process ends, its machine is terminated with it.
    const qemu = spawn("setpriv", ["--pdeathsig", "KILL", "qemu-system-x86_64", ...args, "-append", kernelArgs], {
      stdio: ["ignore", "inherit", "inherit"],
      timeout: options.runMaxMs,
      killSignal: "SIGKILL",
    });
    const machine = new EmulatedMachine(directory, qemu, port);
    try {
      await eventually("the machine can be logged in to", () => machine.#isUp(), bootMaxMs);
      return machine;
    } catch (error) {
      await machine[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Runs lines in the machine, as root. */
  run(script: string, timeoutMs: number): Promise<ProgramResult> {
    const options = ["StrictHostKeyChecking=no", "UserKnownHostsFile=/dev/null", "ConnectTimeout=30", "LogLevel=ERROR"];
    const args = [...options.map((option) => `-o${option}`), "-i", join(this.#directory, "ssh")];
    const login = ["-p", String(this.#port), "vagrant@127.0.0.1", "sudo", "sh", "-e"];
    return runProgram("ssh", [...args, ...login], { input: script, timeoutMs });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#qemu.exitCode !== null || this.#qemu.signalCode !== null) return;
    const ended = new Promise((resolve) => this.#qemu.once("exit", resolve));
    this.#qemu.kill("SIGKILL");
    await ended;
  }

  async #isUp(): Promise<boolean> {
    if (this.#qemu.exitCode !== null) throw new Error(`qemu ended with ${this.#qemu.exitCode}`);
    if ((await this.run("true", 60_000)).code === 0) return true;
    await systemClock.sleep(lookAgainMs);
    return false;
  }
}
