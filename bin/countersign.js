#!/usr/bin/env node
// Plain JavaScript with no syntax newer than Node 12's, because an old Node must reach the message below.
import { existsSync, readFileSync } from 'node:fs';
import process from 'node:process';

/** The first version that `package.json` allows. */
function requiredVersion() {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return Number.parseInt(manifest.engines.node.replace('>=', ''), 10);
}

const required = requiredVersion();
if (Number.parseInt(process.versions.node, 10) < required) {
  process.stderr.write(
    `Countersign needs Node ${required} or newer, and this is Node ${process.versions.node}. ` +
      `Install it from https://nodejs.org, or run "npm ci" and "npm start": npm brings Node ${required} as a development dependency.\n`,
  );
  process.exit(1);
}
/** A file of this checkout or package. */
function inPackage(path) {
  return new URL(`../${path}`, import.meta.url);
}

// Only a checkout has the tools of development. It runs its sources, so that each edit counts at once.
const program = existsSync(inPackage('node_modules/rolldown')) ? inPackage('src/cli.ts') : inPackage('dist/cli.js');
if (!existsSync(program)) {
  process.stderr.write('Countersign is not built here. Run "npm ci", and for production then "npm run build".\n');
  process.exit(1);
}
import(program.href);
