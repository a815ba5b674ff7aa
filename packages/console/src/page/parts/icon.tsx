const PATHS = {
  play: 'M4 2.5v11l9-5.5z',
  stop: 'M3.5 3.5h9v9h-9z',
  plus: 'M8 3v10M3 8h10',
  close: 'M4 4l8 8M12 4l-8 8',
  chevron: 'M6 4l4 4-4 4',
  table: 'M2 3h12v10H2zM2 6.5h12M2 10h12M6.5 6.5V13',
  view: 'M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8zM8 6.2a1.8 1.8 0 1 0 0 3.6 1.8 1.8 0 0 0 0-3.6z',
  file: 'M4 1.5h5.5L13 5v9.5H4zM9.5 1.5V5H13',
  database: 'M2.5 4c0-3 11-3 11 0v8c0 3-11 3-11 0zM2.5 4c0 3 11 3 11 0M2.5 8c0 3 11 3 11 0',
  refresh: 'M13 8a5 5 0 1 1-1.5-3.6M13 1.8v3h-3',
  moon: 'M13.5 9.5A6 6 0 0 1 6.5 2.5a6 6 0 1 0 7 7z',
  sun: 'M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM8 .8v2M8 13.2v2M.8 8h2M13.2 8h2M3 3l1.3 1.3M11.7 11.7L13 13M13 3l-1.3 1.3M4.3 11.7L3 13',
  link: 'M6.5 9.5l3-3M7 4.5l1.5-1.5a3.2 3.2 0 0 1 4.5 4.5L11.5 9M9 11.5L7.5 13A3.2 3.2 0 0 1 3 8.5L4.5 7',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  menu: 'M2 4h12M2 8h12M2 12h12',
  insert: 'M8 2v8M4.5 6.5L8 10l3.5-3.5M2.5 13.5h11',
  download: 'M8 2v8M4.5 6.5L8 10l3.5-3.5M2.5 12v1.5h11V12',
  format: 'M2 3.5h12M4.5 7h9.5M4.5 10h6M2 13.5h8',
  clock: 'M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8zM8 4.5V8l2.5 1.8',
  plan: 'M6 1.5h4v3.5H6zM1.5 11h4v3.5h-4zM10.5 11h4v3.5h-4zM8 5v3M3.5 11V8h9v3',
  chart: 'M2 2v12h12M5 11V8M8.5 11V4.5M12 11V6.5',
} as const;

export type IconName = keyof typeof PATHS;

export const Icon = ({ name }: { name: IconName }) => (
  <svg class={`icon icon-${name}`} viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
    <path d={PATHS[name]} />
  </svg>
);
