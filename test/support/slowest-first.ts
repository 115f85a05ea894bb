import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Slow files start first: started last, one of them would run alone for half a minute. */
const SLOW = [
  ...['page/', 'packaging/install', 'demo/', 'cli/', 'stories/durability/', 'stories/checks/wait', 'lab/'],
  ...['stories/undo/', 'contracts/', 'stories/'],
];

export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => {
      const found = SLOW.findIndex((part) => moduleId.includes(`/test/${part}`));
      return found === -1 ? SLOW.length : found;
    };
    return files.sort((a, b) => place(a) - place(b) || (a.moduleId < b.moduleId ? -1 : 1));
  }
}
