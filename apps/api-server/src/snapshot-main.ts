import { snapshotCommand } from "./snapshot/snapshot-command.ts";

// What works on snapshots where no API server runs: beside an empty data directory.
// LevelDB takes no mode for the files that it makes.
process.umask(0o077);
process.exitCode = await snapshotCommand(process.argv.slice(2));
