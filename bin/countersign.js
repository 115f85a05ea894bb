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
// A package has only the built files, because Node does not run TypeScript in node_modules.
const source = new URL('../src/cli.ts', import.meta.url);
import(existsSync(source) ? source.href : new URL('../dist/src/cli.js', import.meta.url).href);
