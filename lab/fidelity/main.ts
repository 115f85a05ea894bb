import process from 'node:process';
import { runFidelity } from './fidelity.ts';

process.exitCode = await runFidelity(process.argv.slice(2));
