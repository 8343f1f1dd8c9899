import type { Virsh, VirshAnswer } from "../libvirt/virsh.ts";

export interface FakeDomain {
  uuid: string;
  name: string;
  power: "on" | "saved" | "off";
  /** The element of its metadata. */
  metadata?: string;
  leases?: readonly string[];
}

/** A libvirt whose virsh prints what the real virsh prints, as of version 9. */
export class FakeLibvirt {
  readonly domains: FakeDomain[];
  readonly calls: string[] = [];
  /** The driver of test machines, which have no firmware, does not support the option. */
  knowsNvram = true;

  constructor(domains: FakeDomain[]) {
    this.domains = domains;
  }

  readonly virsh: Virsh = async ([command = "", ...args]) => {
    this.calls.push([command, ...args].join(" "));
    if (command === "list") return done(this.#list(args));
    const domain = this.domains.find(({ uuid }) => uuid === args[0]);
    if (domain === undefined) return failed(`failed to get domain '${args[0]}'`);
    switch (command) {
      case "metadata":
        return domain.metadata === undefined
          ? failed("metadata not found: Requested metadata element is not present")
          : done(domain.metadata);
      case "domifaddr":
        return domain.power === "on"
          ? done(
              domain.leases?.map((each) => ` vnet0      52:54:00:aa:bb:cc    ipv4         ${each}/24`).join("\n") ?? "",
            )
          : failed("Requested operation is not valid: domain is not running");
      case "start":
        return this.#power(domain, { from: domain.power !== "on", to: "on" });
      case "destroy":
        return this.#power(domain, { from: domain.power === "on", to: "off" });
      case "managedsave-remove":
        return this.#power(domain, { from: domain.power === "saved", to: "off" });
      case "undefine":
        if (args.includes("--nvram") && !this.knowsNvram)
          return failed("unsupported flags (0x14) in function testDomainUndefineFlags");
        this.domains.splice(this.domains.indexOf(domain), 1);
        return done(`Domain '${domain.name}' has been undefined`);
      default:
        return failed(`unknown command: '${command}'`);
    }
  };

  #list(args: readonly string[]): string {
    const wanted = this.domains.filter(({ power }) => {
      if (args.includes("--state-shutoff")) return power !== "on";
      return !args.includes("--with-managed-save") || power === "saved";
    });
    return wanted.map(({ uuid, name }) => (args.includes("--name") ? `${uuid} ${name}` : uuid)).join("\n");
  }

  #power(domain: FakeDomain, { from, to }: { from: boolean; to: FakeDomain["power"] }): VirshAnswer {
    if (!from) return failed("Requested operation is not valid: domain has another state");
    domain.power = to;
    return done("");
  }
}

function done(output: string): VirshAnswer {
  return { exitCode: 0, output: `${output}\n\n`, errors: "" };
}

function failed(words: string): VirshAnswer {
  return { exitCode: 1, output: "", errors: `error: ${words}\n` };
}
