import { snapshotCommand } from "./snapshot/snapshot-command.ts";

// What works on snapshots where no API server runs: beside an empty data directory.
process.exitCode = await snapshotCommand(process.argv.slice(2));
