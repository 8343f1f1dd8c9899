import { expect, test } from "vitest";
import { oomKilledContainers, systemOomVictim } from "./kernel-records.ts";

const killed =
  "Killed process 42 (my hog) total-vm:1234kB, anon-rss:1kB, file-rss:0kB, UID:0 pgtables:8kB oom_score_adj:0";

test.each([
  [`3,1234,5678901,-;Out of memory: ${killed}\n`, { process: "my hog", pid: 42 }],
  [`3,1234,5678901,-;Out of memory (oom_kill_allocating_task): ${killed}\n`, { process: "my hog", pid: 42 }],
  [`3,1234,5678901,-;Memory cgroup out of memory: ${killed}\n`, undefined],
  // Written by a process: facility 1.
  [`11,1234,5678901,-;Out of memory: ${killed}\n`, undefined],
  ["6,1,1,-;Linux version 6.1\n", undefined],
  ["", undefined],
])("of the record %j the victim is %j", (record, victim) => {
  expect(systemOomVictim(record)).toEqual(victim);
});

const [a, b] = ["0a".repeat(32), "1b".repeat(32)];
const pod = "/kintsugi/k/node-1/kubepods/burstable/pod11111111-2222-4333-8444-555555555555";
const where = (constraint: string, oomMemcg: string, taskMemcg: string, task = "hog") =>
  `oom-kill:constraint=${constraint},nodemask=(null),cpuset=${b},mems_allowed=0${oomMemcg},task_memcg=${taskMemcg},task=${task},pid=42,uid=0`;

test.each([
  // Linux 6.18, cgroup v1: the limit is the pod's, and the victim's cgroup is the container's.
  ["the pod's limit", `6,1234,5678901,-;${where("CONSTRAINT_MEMCG", `,oom_memcg=${pod}`, `${pod}/${a}`)}\n`, [a]],
  ["its own", `6,1,1,-;${where("CONSTRAINT_MEMCG", `,oom_memcg=${pod}/${a}`, `${pod}/${a}`)}\n`, [a]],
  ["the machine's", `6,1,1,-;${where("CONSTRAINT_NONE", ",global_oom", `${pod}/${a}`)}\n`, [a]],
  [
    "its own, by systemd's names",
    `6,1,1,-;${where("CONSTRAINT_MEMCG", ",oom_memcg=/x", `/kubepods.slice/cri-containerd-${a}.scope`)}\n`,
    [a],
  ],
  [
    "its own, on a node in a container",
    `6,1,1,-;${where("CONSTRAINT_MEMCG", "", `/docker/${b}${pod}/${a}`)}\n`,
    [b, a],
  ],
  ["its own, in a nested cgroup", `6,1,1,-;${where("CONSTRAINT_MEMCG", "", `${pod}/${a}/inner`)}\n`, [a]],
  ["no container", `6,1,1,-;${where("CONSTRAINT_MEMCG", ",oom_memcg=/box", "/box")}\n`, []],
  ["a forged record", `14,1,1,-;${where("CONSTRAINT_MEMCG", "", `${pod}/${a}`)}\n`, []],
  ["logged in other words", `3,1,1,-;Memory cgroup out of memory: ${killed} ${a}\n`, []],
  ["a longer container ID", `6,1,1,-;${where("CONSTRAINT_MEMCG", "", `${pod}/${a}00`)}\n`, []],
])("a record of a kill (%s) is attributed to the containers that its cgroup names", (_, record, ids) => {
  expect(oomKilledContainers(record)).toEqual(ids);
});

test("a process name that resembles a record does not name a container", () => {
  const name = `x,task_memcg=/${b},task=y`;
  const record = `6,1,1,-;${where("CONSTRAINT_MEMCG", "", `${pod}/${a}`, name)}\n`;
  expect(oomKilledContainers(record)).toEqual([a]);
});
