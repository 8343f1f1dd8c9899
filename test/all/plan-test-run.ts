/** The parts of `npm test -- …`. */
export interface TestRun {
  /** Missing packages are installed first. */
  readonly installs: boolean;
  /** The built programs are needed. */
  readonly bundles: boolean;
  /** The arguments of vitest. */
  readonly vitest: readonly string[];
}

export const usage = `npm test -- [--quick] [--no-install] [FILE…] [OPTIONS OF VITEST]

Installs the packages that tests use (Debian, Ubuntu, as root), builds, and runs every test that
this host can run. Ends with a line for each group of tests that it cannot run, and the reason.

  --quick       the tests without clusters, in about 5 minutes: a first look; installs nothing
  --no-install  use what this host has
  FILE…         only the files whose paths have these texts in them
`;

/** The tests that do not start programs of the lab. */
const quickProjects = ["tidy", "unit"];

export function planTestRun(args: readonly string[]): TestRun {
  const own = new Set(["--quick", "--no-install"]);
  const isQuick = args.includes("--quick");
  const given = args.filter((arg) => !own.has(arg));
  const projects = isQuick ? quickProjects.map((name) => `--project=${name}`) : [];
  return {
    installs: !isQuick && !args.includes("--no-install"),
    bundles: !isQuick,
    vitest: ["run", ...projects, ...given],
  };
}
