import { flag } from "@kintsugi/daemon";

export const learnProgram = {
  name: "kintsugi learn",
  description:
    "Plays a lesson in virtual time, or on real containers with --real: asks for a prediction, shows what happens, and checks a goal. Without a lesson, lists them.",
  operands: { name: "lesson", help: "Number or name of a lesson", many: false },
};

export const learnFlags = {
  answer: flag.text({ help: "Prediction: the number of a choice, a count, or a time such as 5m40s" }),
  change: flag.text({
    help: "Settings changed for the goal, such as nodes=4,workloads.web.replicas=8; without --answer, only the goal is played",
  }),
  hints: flag.count({ help: "Number of hints to print", max: 9, fallback: 0 }),
  real: flag.switch({
    help: "Play the lesson on real containers of this host (needs root), or rehearse the cluster of the kubeconfig, which is only read",
  }),
  keep: flag.switch({ help: "Leave the cluster of real containers up after the lesson" }),
  kubeconfig: flag.path({ help: "Kubeconfig of --real (default: KUBECONFIG, else ~/.kube/config)" }),
  context: flag.text({ help: "Context of a rehearsed cluster (default: the current context)" }),
};
