import { nameSuffix, type Random } from "@kintsugi/clock";
import { CloudError } from "../cloud-error.ts";
import type { NodeGroup } from "../cloud-provider.ts";
import type { CloudRecord, GroupRecord } from "./cloud-record.ts";

type Machine = GroupRecord["machines"][number];

/** Returns the group in the view of controllers. */
export function shownGroup(group: GroupRecord, providerIdOf: (name: string) => string): NodeGroup {
  const { name, min, max, priority, template } = group;
  const staying = stayingOf(group);
  const machines = staying.map((machine) => providerIdOf(machine.name));
  return { name, min, max, priority, template, target: staying.length, machines };
}

/** @throws CloudError if the target has changed, or is beyond the group's bounds. */
export function resizeGroup(
  record: CloudRecord,
  { group: name, from, to }: { group: string; from: number; to: number },
  random: Random,
): CloudRecord {
  const group = findGroup(record, name);
  const staying = stayingOf(group);
  if (staying.length !== from)
    throw new CloudError("Conflict", `group ${name} has the target ${staying.length}, not ${from}`);
  if (to < group.min || to > group.max)
    throw new CloudError("InvalidRequest", `group ${name} has ${group.min} to ${group.max} machines, not ${to}`);
  const added = Array.from({ length: Math.max(0, to - from) }, () => newMachine(name, random));
  // Machines that do not exist yet are removed first, because they do not run pods.
  const byAge = [
    ...staying.filter(({ state }) => state === "made"),
    ...staying.filter(({ state }) => state !== "made"),
  ];
  const gone = new Set(byAge.slice(to).map((machine) => machine.name));
  return withGroup(record, { ...group, machines: [...leave(group.machines, gone), ...added] });
}

/** @throws CloudError if the group would have fewer than its minimum number of machines. */
export function deleteGroupMachines(record: CloudRecord, name: string, names: readonly string[]): CloudRecord {
  const group = findGroup(record, name);
  const staying = stayingOf(group);
  const gone = new Set(staying.map((machine) => machine.name).filter((each) => names.includes(each)));
  if (staying.length - gone.size < group.min)
    throw new CloudError("InvalidRequest", `group ${name} must keep at least ${group.min} machines`);
  return withGroup(record, { ...group, machines: leave(group.machines, gone) });
}

export interface GroupWork {
  readonly record: CloudRecord;
  /** Machines that are to be made, with their groups. */
  readonly make: readonly { name: string; group: GroupRecord }[];
  readonly remove: readonly string[];
}

/**
 * Plans the machines to be made and removed, and records the machines that appeared or disappeared.
 * A machine that no longer exists although the group needs it is replaced by a machine of another
 * name, so that a name never refers to two machines.
 */
export function planGroups(record: CloudRecord, present: ReadonlySet<string>, random: Random): GroupWork {
  const groups = record.groups.map((group) => {
    const machines = group.machines.flatMap((machine): Machine[] => {
      if (present.has(machine.name)) return [machine.state === "wanted" ? { ...machine, state: "made" } : machine];
      if (machine.state === "leaving") return [];
      return [machine.state === "made" ? newMachine(group.name, random) : machine];
    });
    const room = { ...group, machines };
    const missing = Array.from({ length: Math.max(0, group.min - stayingOf(room).length) }, () =>
      newMachine(group.name, random),
    );
    return { ...group, machines: [...machines, ...missing] };
  });
  const all = groups.flatMap((group) => group.machines.map((machine) => ({ ...machine, group })));
  return {
    record: { ...record, groups },
    make: all.filter(({ state }) => state === "wanted").map(({ name, group }) => ({ name, group })),
    remove: all.filter(({ state }) => state === "leaving").map(({ name }) => name),
  };
}

/** Returns the record after the machine was made. */
export function noteMade(record: CloudRecord, name: string): CloudRecord {
  return changeMachine(record, name, (machine) =>
    machine.state === "wanted" ? [{ ...machine, state: "made" }] : [machine],
  );
}

/** Returns the record in which a machine that is being removed has a successor in its group. */
export function replaceMachine(record: CloudRecord, name: string, random: Random): CloudRecord {
  return changeMachine(record, name, (machine, group) =>
    machine.state === "leaving" ? [machine] : [{ ...machine, state: "leaving" }, newMachine(group, random)],
  );
}

function changeMachine(
  record: CloudRecord,
  name: string,
  change: (machine: Machine, group: string) => Machine[],
): CloudRecord {
  const groups = record.groups.map((group) => ({
    ...group,
    machines: group.machines.flatMap((each) => (each.name === name ? change(each, group.name) : [each])),
  }));
  return { ...record, groups };
}

/** Returns the group that made the machine; undefined for a person's machine. */
export function groupOfMachine(record: CloudRecord, name: string): GroupRecord | undefined {
  return record.groups.find(({ machines }) => machines.some((machine) => machine.name === name));
}

function stayingOf({ machines }: GroupRecord): Machine[] {
  return machines.filter(({ state }) => state !== "leaving");
}

function leave(machines: readonly Machine[], gone: ReadonlySet<string>): Machine[] {
  return machines.flatMap((machine): Machine[] =>
    // A machine that is being made may still appear, so it has to be tracked too.
    gone.has(machine.name) ? [{ ...machine, state: "leaving" }] : [machine],
  );
}

function newMachine(group: string, random: Random): Machine {
  return { name: `${group}-${nameSuffix(random)}`, state: "wanted" };
}

function findGroup({ groups }: CloudRecord, name: string): GroupRecord {
  const group = groups.find((each) => each.name === name);
  if (group === undefined) throw new CloudError("NotFound", `there is no node group ${name}`);
  return group;
}

function withGroup(record: CloudRecord, group: GroupRecord): CloudRecord {
  return { ...record, groups: record.groups.map((each) => (each.name === group.name ? group : each)) };
}
