import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "@kintsugi/clock";
import { ownContainerdSocket } from "@kintsugi/lab";
import { commandsOf } from "../support/documented-commands.ts";
import { newestKubectl } from "../support/host-abilities.ts";
import { type KubernetesObject, repository } from "../support/lab-cluster.ts";
import { eventually, type ProgramResult } from "../support/run-program.ts";
import { PrivateLibvirt } from "./private-libvirt.ts";

const labDirectory = join(repository, "deploy/vagrant");
const boxName = "kintsugi-test";
/** Files that readers of the lab's README create there. */
const made = ["kubeconfig", ".join", "kintsugi.tar.gz", "lab.snapshot", "../../kintsugi.tar.gz"].map((file) =>
  join(labDirectory, file),
);
/** A boot, six pods on two emulated machines, or an upgrade: minutes each. */
const waitMs = 1_500_000;
/**
 * Each check is a TLS handshake for an emulated processor, so checks are infrequent enough to take
 * little of it.
 */
const lookAgainMs = 4_000;

/** The lab of deploy/vagrant, and the pages about its use, whose commands run unchanged. */
export class VagrantLab implements AsyncDisposable {
  readonly #libvirt: PrivateLibvirt;
  readonly #directory: string;
  readonly #undone: Map<string, string>;

  private constructor(libvirt: PrivateLibvirt, directory: string) {
    this.#libvirt = libvirt;
    this.#directory = directory;
    const pages = ["deploy/vagrant/README.md", "deploy/README.md"];
    this.#undone = new Map(
      pages.flatMap((page) => commandsOf(readFileSync(join(repository, page), "utf8")).map((line) => [line, page])),
    );
  }

  static async open(options: { directory: string; box: string; log: string }): Promise<VagrantLab> {
    if (existsSync(join(labDirectory, ".vagrant/machines")))
      throw new Error("deploy/vagrant/.vagrant is there: a lab of yours? `vagrant destroy` it and remove that first");
    const lab = new VagrantLab(await PrivateLibvirt.start(options.directory, options.log), options.directory);
    await lab.sh(`vagrant box add --name ${boxName} ${join(options.box, "kintsugi.box")}`);
    return lab;
  }

  /**
   * Runs a line in deploy/vagrant.
   * @throws Error with its output when it fails.
   */
  async sh(line: string, directory = labDirectory): Promise<string> {
    const result = await this.#libvirt.run(line, { directory, env: this.#environment });
    return succeeded(line, result);
  }

  /** Runs a line of a page, as a reader would. */
  async documented(line: string, directory?: string): Promise<string> {
    this.#strike(line);
    return this.sh(line, directory);
  }

  /**
   * Runs the only line of the pages that begins with this text, on a machine, as root in /srv;
   * `meant` replaces the page's "…" in their order.
   */
  async documentedOn(machine: string, beginning: string, meant: readonly string[] = []): Promise<string> {
    const line = [...this.#undone.keys()].find((one) => one.startsWith(beginning)) ?? beginning;
    this.#strike(line);
    const words = [...meant];
    return this.on(machine, `cd /srv && ${line.replace(/…/g, (dots) => words.shift() ?? dots)}`);
  }

  /** Commands of the pages that have not been run yet. */
  undone(): string[] {
    return [...this.#undone].map(([line, page]) => `${page}: ${line}`);
  }

  /** Reads the ssh configuration of the machines; called when they have booted. */
  async learnAddresses(): Promise<void> {
    writeFileSync(this.#sshConfig, await this.sh("vagrant ssh-config"), { mode: 0o600 });
  }

  /** Runs lines on a machine, as root. */
  async on(machine: string, input: string): Promise<string> {
    const line = `ssh -F ${this.#sshConfig} ${machine} sudo sh -e`;
    return succeeded(`on ${machine}, ${input}`, await this.#libvirt.run(line, { directory: labDirectory, input }));
  }

  /** Reports whether `vagrant up` has copied the control plane's kubeconfig. */
  isServed(): boolean {
    return existsSync(join(labDirectory, "kubeconfig"));
  }

  async kubectl(...args: string[]): Promise<string> {
    const words = args.map((word) => `'${word}'`).join(" ");
    return this.sh(`${newestKubectl()} --kubeconfig kubeconfig --request-timeout=120s ${words}`);
  }

  async list(...args: string[]): Promise<KubernetesObject[]> {
    return (JSON.parse(await this.kubectl("get", ...args, "-o", "json")) as { items: KubernetesObject[] }).items;
  }

  async readyNodes(): Promise<string[]> {
    return (await this.list("nodes")).filter(isReady).map(({ metadata }) => metadata.name);
  }

  async webPods(): Promise<KubernetesObject[]> {
    return this.list("pods", "-l", "app=web");
  }

  /** The web servers that answer and are not terminating. */
  async serving(): Promise<KubernetesObject[]> {
    return (await this.webPods()).filter((pod) => isReady(pod) && pod.metadata.deletionTimestamp === undefined);
  }

  /** Lists the containers of a node from its containerd, including sandboxes. */
  async running(node: string): Promise<string[]> {
    const listed = await this.on(node, `ctr --address ${ownContainerdSocket} -n k8s.io tasks ls`);
    return listed
      .split("\n")
      .flatMap((line) => /^(\S+)\s+\d+\s+RUNNING/.exec(line)?.[1] ?? [])
      .sort();
  }

  until(what: string, look: () => Promise<boolean>): Promise<boolean> {
    const lookSeldom = async () => {
      if (await look()) return true;
      await systemClock.sleep(lookAgainMs);
      return false;
    };
    return eventually(what, lookSeldom, waitMs);
  }

  /** Lists the remains of the machines, from libvirt and the kernel, after they were destroyed. */
  async leftovers(): Promise<string[]> {
    const machines = await this.sh("virsh --connect qemu:///system list --all --name");
    const disks = await this.sh("find /var/lib/libvirt/images -name 'vagrant_*'");
    const taps = await this.sh("ls /sys/class/net | grep -E '^vnet' || true");
    return [...machines.split("\n"), ...disks.split("\n"), ...taps.split("\n")].filter((line) => line !== "");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#libvirt[Symbol.asyncDispose]();
    for (const file of made) rmSync(file, { force: true });
  }

  #strike(line: string): void {
    if (!this.#undone.delete(line)) throw new Error(`no page has this command, or it has run already: ${line}`);
  }

  get #sshConfig(): string {
    return join(this.#directory, "ssh-config");
  }

  get #environment(): Record<string, string> {
    return {
      VAGRANT_HOME: join(this.#directory, "home"),
      VAGRANT_DOTFILE_PATH: join(this.#directory, "machines"),
      VAGRANT_CHECKPOINT_DISABLE: "1",
      KINTSUGI_BOX: boxName,
    };
  }
}

function succeeded(line: string, { code, stdout, stderr }: ProgramResult): string {
  if (code !== 0) throw new Error(`${line} ended with ${code}: ${stdout}${stderr}`);
  return stdout.trim();
}

export function isReady({ status }: KubernetesObject): boolean {
  return status.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") === true;
}
