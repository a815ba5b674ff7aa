import { upload } from '../../http/upload.ts';
import { serveLoad } from '../../load/serve-load.ts';
import { WrongAnswer } from '../../load/session.ts';
import type { UploadsParameters } from './parameters.ts';

serveLoad(({ url, kinds }: UploadsParameters) =>
  kinds.map(({ name, part, sql, answer }) => ({
    name,
    open: async () => ({
      send: async () => {
        const { text } = await upload(url, sql, part);
        const found = text.trimEnd().split('\n').at(-1);
        if (found !== answer) throw new WrongAnswer(`${name}: ${found} in place of ${answer}`);
      },
      close: async () => undefined,
    }),
  })),
);
