/** What Vite makes of files that are no scripts. */

declare module '*.module.css' {
  const classes: Readonly<Record<string, string>>;
  // biome-ignore lint/style/noDefaultExport: it is how Vite hands out the classes of a file
  export default classes;
}
declare module '*.css';
declare module '*.svg' {
  const address: string;
  // biome-ignore lint/style/noDefaultExport: it is how Vite hands out the address of a file
  export default address;
}
