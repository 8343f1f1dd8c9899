import type { PlayRequest } from "@kintsugi/story";

/** A claim of an article that a reader can simulate: a run, and a knob to turn. */
export interface ArticleFigure {
  readonly title: string;
  readonly request: PlayRequest;
  /** The workload whose pods are drawn. Absent: the figure does not have a picture. */
  readonly workload?: string;
  /** Lists only the steps of this pod. */
  readonly pod?: string;
  readonly knob?: FigureKnob;
  /** Lists only these steps. Absent: the turning points of the run are listed. */
  readonly steps?: RegExp;
}

interface FigureKnob {
  readonly setting: string;
  readonly label: string;
  /** Values with labels for the reader; the first is Kubernetes' value. */
  readonly values: readonly (readonly [value: string, words: string])[];
}

function run(scenario: string, ...settings: string[]): PlayRequest {
  return { scenario, faults: [], settings: ["profile=kubernetes", ...settings] };
}

const toleration: FigureKnob = {
  setting: "timers.pod-eviction-timeout",
  label: "Toleration of a pod",
  values: [
    ["5m", "300 s"],
    ["30s", "30 s"],
    ["0s", "0 s"],
  ],
};

const starts = /^container-(running|terminated)|CrashLoopBackOff|Killing|Unhealthy|restart/;

/** A program that needs two minutes to start; `probe` is the probe that checks it. */
function slowStart(probe: string): PlayRequest {
  const yaml = `apiVersion: v1
kind: Pod
metadata: { name: slow }
spec:
  containers:
    - name: main
      image: busybox
      command: [sh, -c, "sleep 120; touch /ready; sleep 3600"]
      livenessProbe: { exec: { command: [sh, -c, "test -f /ready"] }, periodSeconds: 10, failureThreshold: 3 }
${probe}`;
  return { ...run("probe-failure"), commands: [{ atMs: 1_000, text: "apply", yaml }] };
}

/** The figures of the four articles, by their names in the pages. */
export const figures: Readonly<Record<string, ArticleFigure>> = {
  relist: {
    title: "A crash, and the restart that follows it",
    request: run("crash-loop-for-ever"),
    workload: "broken",
    steps: starts,
  },
  "exit-codes": {
    title: "A program that ends, and its exit code",
    request: run("crash-loop-for-ever"),
    workload: "broken",
    knob: {
      setting: "workloads.broken.script",
      label: "It ends with",
      values: [
        ["sleep 30; exit 1", "exit code 1"],
        ["sleep 30; exit 0", "exit code 0"],
        ["sleep 30; exit 137", "exit code 137"],
      ],
    },
    steps: starts,
  },
  "out-of-memory": {
    title: "A container over its memory limit",
    request: run("out-of-memory"),
    workload: "hungry",
    steps: starts,
  },
  liveness: {
    title: "A program that hangs",
    request: run("probe-failure"),
    workload: "stuck",
    knob: {
      setting: "workloads.stuck.liveness.period",
      label: "The probe runs every",
      values: [
        ["10s", "10 s"],
        ["20s", "20 s"],
        ["5s", "5 s"],
      ],
    },
    steps: starts,
  },
  "slow-start": {
    title: "A slow start under a liveness probe",
    request: slowStart(""),
    pod: "slow",
    steps: starts,
  },
  "slow-start-probed": {
    title: "The same start with a startupProbe",
    request: slowStart(
      `      startupProbe: { exec: { command: [sh, -c, "test -f /ready"] }, periodSeconds: 10, failureThreshold: 30 }`,
    ),
    pod: "slow",
    steps: starts,
  },
  "back-off": {
    title: "Pauses that double",
    request: run("crash-loop-for-ever"),
    workload: "broken",
    knob: {
      setting: "timers.crash-loop-max-delay",
      label: "The longest pause",
      values: [
        ["5m", "300 s"],
        ["2m", "120 s"],
        ["30s", "30 s"],
      ],
    },
    steps: starts,
  },
  reset: {
    title: "A run that is long enough",
    request: run("crash-loop-for-ever"),
    workload: "broken",
    knob: {
      setting: "workloads.broken.script",
      label: "Each run lasts",
      values: [
        ["sleep 30; exit 1", "30 s"],
        ["sleep 300; exit 1", "5 min"],
        ["sleep 660; exit 1", "11 min"],
      ],
    },
    steps: starts,
  },
  "node-silent": {
    title: "A node dies",
    request: run("node-dead"),
    workload: "web",
    knob: {
      setting: "timers.node-monitor-grace-period",
      label: "Silence allowed",
      values: [
        ["50s", "50 s"],
        ["40s", "40 s (before 1.32)"],
        ["20s", "20 s"],
      ],
    },
  },
  toleration: { title: "Pods stay on a dead node", request: run("node-dead"), workload: "web", knob: toleration },
  flapping: { title: "A node that comes and goes", request: run("flapping-node"), workload: "hasty" },
  "three-containers": {
    title: "The kubelet stops, its containers run on",
    request: run("kubelet-stopped-past-eviction"),
    workload: "web",
    knob: toleration,
  },
  "quick-restart": {
    title: "A kubelet is back within 25 s",
    request: run("kubelet-restarted-quickly"),
    workload: "web",
  },
  crowded: { title: "A node that is back stays empty", request: run("node-back-after-eviction"), workload: "web" },
  rebalanced: { title: "A controller that moves pods back", request: run("node-back-rebalanced"), workload: "web" },
  "broken-context": {
    title: "A pod that no restart can help",
    request: run("crash-loop-for-ever"),
    workload: "broken",
    steps: starts,
  },
  escalation: {
    title: "The same pod, with an escalation",
    request: run("escalation"),
    workload: "broken",
    steps: /^container-(running|terminated)|Escalat|created|ReplacementNeeded|deleted/,
  },
  rollout: { title: "A rollout whose pods cannot start", request: run("rollout-stops"), workload: "web" },
  budget: { title: "A budget and a dead node", request: run("half-zone-lost"), workload: "web" },
  room: {
    title: "No room on the nodes that are left",
    request: run("no-room-left"),
    workload: "web",
    knob: {
      setting: "workloads.web.cpu",
      label: "A pod requests",
      values: [
        ["1500m", "1.5 processors"],
        ["900m", "0.9 processors"],
      ],
    },
  },
  volumes: {
    title: "A StatefulSet with volumes on a dead node",
    request: run("node-dead", "workloads.web.kind=StatefulSet", "workloads.web.claims=true"),
    workload: "web",
  },
  "volumes-follow": {
    title: "The same, and a user confirms after three minutes that the node is off",
    request: {
      ...run("node-dead", "workloads.web.kind=StatefulSet", "workloads.web.claims=true"),
      faults: [{ atMs: 240_000, fault: "fence-node", node: "node-2" }],
    },
    workload: "web",
    steps: /^(Attached|Detached|attached|detached|deleted|created|Ready=True)|ttach|taint-added.*out-of-service/,
  },
  zone: {
    title: "Spread over three zones",
    request: run("zone-lost"),
    workload: "web",
    knob: {
      setting: "workloads.web.replicas",
      label: "Replicas",
      values: [
        ["12", "12"],
        ["18", "18"],
      ],
    },
  },
};

/** The figure's request with a value of its knob. */
export function requestAt({ request, knob }: ArticleFigure, index: number): PlayRequest {
  const [value] = knob?.values[index] ?? [];
  if (knob === undefined || value === undefined || index === 0) return request;
  const others = request.settings.filter((each) => !each.startsWith(`${knob.setting}=`));
  return { ...request, settings: [...others, `${knob.setting}=${value}`] };
}
