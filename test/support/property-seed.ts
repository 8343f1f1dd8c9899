import fc from "fast-check";
import { runsAllSamples } from "./samples.ts";

/**
 * `npm test` draws the same cases in each run, so that its result depends only on the change. With
 * `KINTSUGI_SAMPLES=all` each run draws its own cases, and a failure prints its seed.
 */
if (!runsAllSamples) fc.configureGlobal({ seed: 1 });
