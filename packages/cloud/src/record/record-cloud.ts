import { Mutex, type Random } from "@kintsugi/clock";
import { CloudError } from "../cloud-error.ts";
import type { CloudAnswer, CloudProvider, CloudRequest, Instance, CloudRoute } from "../cloud-provider.ts";
import { deleteBalancer, ensureBalancer } from "./balancer-record.ts";
import type { CloudRecord } from "./cloud-record.ts";
import {
  deleteGroupMachines,
  shownGroup,
  groupOfMachine,
  noteMade,
  planGroups,
  replaceMachine,
  resizeGroup,
} from "./groups.ts";

/** A machine as its host reports it. */
export type HostMachine = Omit<Instance, "providerId" | "group" | "instanceType"> & { instanceType?: string };

/** The place of the machines: this host, or a table. */
export interface MachineHost {
  list(): Promise<HostMachine[]>;
  /** @throws CloudError if the host cannot run another machine. */
  make(name: string, group: CloudRecord["groups"][number]): Promise<void>;
  /** A machine that does not exist counts as removed. */
  remove(name: string): Promise<void>;
  /** @throws CloudError "NotFound". */
  power(name: string, to: "on" | "off"): Promise<void>;
}

export interface RecordCloudDeps {
  readonly random: Random;
  readonly host: MachineHost;
  /** Saves the record before a call is answered. */
  readonly keep: (record: CloudRecord) => Promise<void>;
  /** Called after each change of the record. */
  readonly onChange?: (record: CloudRecord) => void;
}

export interface RecordCloudOptions {
  /** The scheme and the cluster of provider IDs: "lab://default". */
  readonly idPrefix: string;
  /** The addresses of load balancers. */
  readonly addresses: readonly string[];
  readonly record: CloudRecord;
}

/** A cloud over a record and a host of machines. Its calls are executed one after another. */
export class RecordCloud implements CloudProvider {
  readonly #deps: RecordCloudDeps;
  readonly #options: RecordCloudOptions;
  #record: CloudRecord;
  /** The last saved record; undefined before the first write, and after a failed write. */
  #keptText: string | undefined;
  readonly #changes = new Mutex();

  constructor(deps: RecordCloudDeps, options: RecordCloudOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#record = options.record;
  }

  get record(): CloudRecord {
    return this.#record;
  }

  /** Makes and removes machines until they match the groups' targets. */
  async settle(): Promise<void> {
    const { host, random } = this.#deps;
    const { make, remove } = await this.#changes.run(async () => {
      const present = new Set((await host.list()).map(({ name }) => name));
      const work = planGroups(this.#record, present, random);
      await this.#put(work.record);
      return work;
    });
    const works = [
      ...make.map(({ name, group }) => async () => {
        await host.make(name, group);
        await this.#changes.run(() => this.#put(noteMade(this.#record, name)));
      }),
      ...remove.map((name) => () => host.remove(name)),
    ];
    const failures: unknown[] = [];
    for (const work of works) await work().catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  }

  readonly listInstances = async (): Promise<CloudAnswer<"listInstances">> => ({
    instances: (await this.#deps.host.list()).map((machine) => this.#instanceOf(machine)),
  });

  readonly findInstance = async ({
    providerId,
    name,
  }: CloudRequest<"findInstance">): Promise<CloudAnswer<"findInstance">> => {
    if (providerId === undefined && name === undefined)
      throw new CloudError("InvalidRequest", "a machine is found by providerId or name");
    const { instances } = await this.listInstances();
    const instance = instances.find((each) =>
      providerId === undefined ? each.name === name : each.providerId === providerId,
    );
    return instance === undefined ? {} : { instance };
  };

  readonly ensureLoadBalancer = ({
    spec,
  }: CloudRequest<"ensureLoadBalancer">): Promise<CloudAnswer<"ensureLoadBalancer">> =>
    this.#changes.run(async () => {
      const { record, balancer } = ensureBalancer(this.#record, spec, this.#options.addresses);
      await this.#put(record);
      return { balancer };
    });

  readonly findLoadBalancer = async ({
    name,
  }: CloudRequest<"findLoadBalancer">): Promise<CloudAnswer<"findLoadBalancer">> => {
    const balancer = this.#record.balancers.find(({ spec }) => spec.name === name);
    return balancer === undefined ? {} : { balancer };
  };

  readonly deleteLoadBalancer = ({
    name,
  }: CloudRequest<"deleteLoadBalancer">): Promise<CloudAnswer<"deleteLoadBalancer">> =>
    this.#changes.run(async () => {
      await this.#put(deleteBalancer(this.#record, name));
      return {};
    });

  readonly listRoutes = async (): Promise<CloudAnswer<"listRoutes">> => ({ routes: this.#record.routes });

  readonly ensureRoute = ({ route }: CloudRequest<"ensureRoute">): Promise<CloudAnswer<"ensureRoute">> =>
    this.#changes.run(async () => {
      await this.#put(ensureRoute(this.#record, route));
      return {};
    });

  readonly deleteRoute = (request: CloudRequest<"deleteRoute">): Promise<CloudAnswer<"deleteRoute">> =>
    this.#changes.run(async () => {
      await this.#put(deleteRoute(this.#record, request));
      return {};
    });

  readonly listNodeGroups = async (): Promise<CloudAnswer<"listNodeGroups">> => ({
    groups: this.#record.groups.map((group) => shownGroup(group, this.#idOf)),
  });

  readonly resizeNodeGroup = (request: CloudRequest<"resizeNodeGroup">): Promise<CloudAnswer<"resizeNodeGroup">> =>
    this.#changes.run(async () => {
      await this.#put(resizeGroup(this.#record, request, this.#deps.random));
      return this.#groupNamed(request.group);
    });

  readonly deleteMachines = ({
    group,
    providerIds,
  }: CloudRequest<"deleteMachines">): Promise<CloudAnswer<"deleteMachines">> =>
    this.#changes.run(async () => {
      const names = providerIds.map((id) => id.slice(this.#options.idPrefix.length + 1));
      await this.#put(deleteGroupMachines(this.#record, group, names));
      return this.#groupNamed(group);
    });

  readonly actOnInstance = async ({
    name,
    action,
  }: CloudRequest<"actOnInstance">): Promise<CloudAnswer<"actOnInstance">> => {
    const { host } = this.#deps;
    const present = (await host.list()).some((machine) => machine.name === name);
    if (!present) throw new CloudError("NotFound", `there is no machine ${name}`);
    if (action === "terminate") {
      await this.#changes.run(() => this.#put(replaceMachine(this.#record, name, this.#deps.random)));
      await host.remove(name);
    } else await host.power(name, action === "start" ? "on" : "off");
    return {};
  };

  #instanceOf(machine: HostMachine): Instance {
    const group = groupOfMachine(this.#record, machine.name);
    return {
      ...machine,
      providerId: this.#idOf(machine.name),
      instanceType: group?.template.instanceType ?? machine.instanceType ?? "host",
      ...(group === undefined ? {} : { group: group.name }),
    };
  }

  readonly #idOf = (name: string): string => `${this.#options.idPrefix}/${name}`;

  #groupNamed(name: string): CloudAnswer<"resizeNodeGroup"> {
    const group = this.#record.groups.find((each) => each.name === name);
    if (group === undefined) throw new CloudError("NotFound", `there is no node group ${name}`);
    return { group: shownGroup(group, this.#idOf) };
  }

  /** A pass without changes does not write, and no further pass follows it. */
  async #put(record: CloudRecord): Promise<void> {
    const text = JSON.stringify(record);
    if (text === this.#keptText) return;
    this.#keptText = undefined;
    await this.#deps.keep(record);
    this.#record = record;
    this.#keptText = text;
    this.#deps.onChange?.(record);
  }
}

/** Limit on routes, higher than the number of a lab's machines; clouds have such a quota too. */
const routesMax = 500;

/**
 * Returns the record in which packets to the route's range are sent to its machine only.
 * @throws CloudError "Exhausted" if the record is full.
 */
function ensureRoute(record: CloudRecord, route: CloudRoute): CloudRecord {
  const others = record.routes.filter(({ cidr }) => cidr !== route.cidr);
  if (others.length >= routesMax) throw new CloudError("Exhausted", `this cloud supports at most ${routesMax} routes`);
  return { ...record, routes: [...others, route] };
}

/** A route that now targets another machine remains. */
function deleteRoute(record: CloudRecord, { cidr, target }: Pick<CloudRoute, "cidr" | "target">): CloudRecord {
  return { ...record, routes: record.routes.filter((route) => route.cidr !== cidr || route.target !== target) };
}
