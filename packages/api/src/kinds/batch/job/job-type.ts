import type { ResourceType } from "../../../meta/resource-type.ts";
import type { Job } from "./job.ts";

export const jobs: ResourceType<Job> = {
  group: "batch",
  version: "v1",
  resource: "jobs",
  singular: "job",
  kind: "Job",
  namespaced: true,
  shortNames: [],
  categories: ["all"],
};
