import { snapshotCommand } from "./snapshot/snapshot-command.ts";

// The command works on snapshots beside an empty data directory, where no API server runs. LevelDB
// takes no mode for the files that it makes, so the mask keeps them private.
process.umask(0o077);
process.exitCode = await snapshotCommand(process.argv.slice(2));
