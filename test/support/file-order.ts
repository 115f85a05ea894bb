import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files that start git come first, while the workers are small: a fork copies the tables of all memory. Then slow files:
 * started last, one of them would run alone for half a minute.
 */
const FIRST = [
  ...[
    'unit/cli/verify/',
    'unit/core/edits/build/unified-diff',
    'unit/core/edits/build/build-files',
    'fakes/github/git/',
  ],
  ...['page/', 'packaging/install', 'demo/', 'cli/', 'stories/durability/', 'stories/checks/wait', 'lab/'],
  ...['stories/undo/', 'contracts/', 'stories/'],
];

export class FileOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => {
      const found = FIRST.findIndex((part) => moduleId.includes(`/test/${part}`));
      return found === -1 ? FIRST.length : found;
    };
    return files.sort((a, b) => place(a) - place(b) || (a.moduleId < b.moduleId ? -1 : 1));
  }
}
