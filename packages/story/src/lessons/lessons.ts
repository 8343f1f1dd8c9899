import { containerLessons } from "./chapters/containers.ts";
import { controlPlaneLessons } from "./chapters/control-plane.ts";
import { nodeLessons } from "./chapters/nodes.ts";
import { ownClusterLessons } from "./chapters/own-cluster.ts";
import { controlPlaneOfThreeLessons } from "./chapters/control-plane-of-three.ts";
import { manyNodeLessons } from "./chapters/many-nodes.ts";
import type { Lesson } from "./lesson.ts";

/** The lessons lead from one node to a control plane of three, and to the learner's own cluster. */
export const lessons: readonly Lesson[] = [
  ...nodeLessons,
  ...containerLessons,
  ...manyNodeLessons,
  ...controlPlaneLessons,
  ...controlPlaneOfThreeLessons,
  ...ownClusterLessons,
];
