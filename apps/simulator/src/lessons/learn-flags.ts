import { flag } from "@kintsugi/daemon";

export const learnProgram = {
  name: "kintsugi learn",
  description:
    "Plays a lesson in virtual time: asks for a prediction, shows what happens, and checks a goal. Without a lesson, lists them.",
  operands: { name: "lesson", help: "Number or name of a lesson", many: false },
};

export const learnFlags = {
  answer: flag.text({ help: "Prediction: the number of a choice, a count, or a time such as 5m40s" }),
  change: flag.text({ help: "Settings changed for the goal, such as nodes=4,workloads.web.replicas=8" }),
  hints: flag.count({ help: "Number of hints to print", max: 9, fallback: 0 }),
  real: flag.switch({ help: "Rehearse the cluster of the kubeconfig instead of the example; it is only read" }),
  kubeconfig: flag.path({ help: "Kubeconfig of that cluster (default: KUBECONFIG, else ~/.kube/config)" }),
  context: flag.text({ help: "Context of the kubeconfig (default: its current one)" }),
};
