/**
 * Bundles the program and its demo into `dist`, with the packages that they import: an installation needs few packages
 * then, and a start reads few files. npm runs it before it packs.
 */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Plugin, rolldown } from 'rolldown';
import { PREPARED_DATABASE } from '../src/adapters/store/engine/data-directory.ts';
import { PACKAGE_ROOT } from '../src/lib/package.ts';
import { isRecord, parseJson } from '../src/lib/trust.ts';
import './prepare-database.ts';

const DIST = join(PACKAGE_ROOT, 'dist');

function readManifest(folder: string): Readonly<Record<string, unknown>> {
  const manifest = parseJson(readFileSync(join(folder, 'package.json'), 'utf8'));
  return isRecord(manifest) ? manifest : {};
}

/** Packages that look for files of their own: npm installs them beside the bundle. `pg` never asks for its native one. */
const EXTERNAL = [...Object.keys(readManifest(PACKAGE_ROOT)['dependencies'] ?? {}), 'pg-native'];

/** A program or a file that a source finds beside itself, or in a package, is put beside the bundle. */
const bringFiles: Plugin = {
  name: 'bring-files',
  transform: {
    filter: { id: /[\\/]demo[\\/].*\.ts$/ },
    handler(code, path) {
      const here = pathToFileURL(path);
      const bringProgram = (_: string, name: string): string => {
        const fileName = basename(name).replace(/ts$/, 'js');
        this.emitFile({ type: 'chunk', id: fileURLToPath(new URL(name, here)), fileName });
        return `new URL('./${fileName}', import.meta.url)`;
      };
      const bringFile = (_: string, name: string): string => {
        const url = name.startsWith('.') ? new URL(name, here) : new URL(import.meta.resolve(name));
        const fileName = `assets/${basename(url.pathname)}`;
        this.emitFile({ type: 'asset', fileName, source: readFileSync(url), originalFileName: fileURLToPath(url) });
        return `new URL('./${fileName}', import.meta.url).href`;
      };
      return code
        .replaceAll(/new URL\('(\.\/[\w-]+\.ts)', import\.meta\.url\)/g, bringProgram)
        .replaceAll(/import\.meta\.resolve\('([^']+)'\)/g, bringFile)
        .replaceAll('createRequire(import.meta.url)(', 'require(');
    },
  },
};

async function writeBundle() {
  const bundle = await rolldown({
    cwd: PACKAGE_ROOT,
    input: 'src/cli.ts',
    platform: 'node',
    external: EXTERNAL,
    plugins: [bringFiles],
    // Probot would download packages with it, and nothing that the server calls asks for that.
    resolve: { mainFields: ['module', 'main'], alias: { 'npx-import-light': false } },
    // Of Probot only the dispatcher is used.
    treeshake: { moduleSideEffects: [{ test: /\/node_modules\/probot\//, sideEffects: false }] },
    onLog(_level, log, handle) {
      // Bottleneck has code for Redis, which never runs; every other warning is an error.
      if (log.code !== 'EVAL' || log.id?.includes('/bottleneck/') !== true) handle('error', log);
    },
  });
  // Names and lines stay, so that a stack trace can be read.
  const { output } = await bundle.write({
    dir: DIST,
    chunkFileNames: '[name].js',
    comments: { annotation: false, jsdoc: false, legal: true },
    minifyInternalExports: false,
  });
  return output;
}

/** The folder and the name of the package that a file belongs to. */
const PACKAGE = /^[^\0]*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)(?=[\\/])/;

/** The folders of the packages with code or files in the bundle, and of rolldown, whose code loads its parts. */
function bundledPackages(output: Awaited<ReturnType<typeof writeBundle>>): ReadonlySet<string> {
  const files = output.flatMap((part) => (part.type === 'chunk' ? Object.keys(part.modules) : part.originalFileNames));
  return new Set(
    [...files, fileURLToPath(import.meta.resolve('rolldown'))].flatMap((file) => PACKAGE.exec(file)?.[0] ?? []),
  );
}

/** Licenses ask for it: each copy of a package's code comes with its license. */
function writeLicenses(folders: ReadonlySet<string>): void {
  const texts = [...folders].map((folder) => {
    const { name, version, license } = readManifest(folder);
    return `${name} ${version}, ${license}\n\n${licenseIn(folder)}`;
  });
  writeFileSync(join(DIST, 'THIRD-PARTY-LICENSES.txt'), `${texts.sort().join(`\n\n${'='.repeat(80)}\n`)}\n`);
}

/** Two packages have their license at the end of their README. */
function licenseIn(folder: string): string {
  const files = readdirSync(folder).filter((file) => /^(?:licen[cs]e|notice)/i.test(file));
  if (files.length > 0) return files.map((file) => readFileSync(join(folder, file), 'utf8').trim()).join('\n\n');
  const [, license] = /^#+ licen[cs]e$(.+)/ims.exec(readFileSync(join(folder, 'README.md'), 'utf8')) ?? [];
  if (license === undefined) throw new Error(`${folder} has no license.`);
  return license.trim();
}

for (const name of existsSync(DIST) ? readdirSync(DIST) : [])
  if (name !== basename(PREPARED_DATABASE)) rmSync(join(DIST, name), { recursive: true });
const output = await writeBundle();
const packages = bundledPackages(output);
writeLicenses(packages);
process.stdout.write(`dist has ${output.length} files, with code of ${packages.size} packages\n`);
