declare module 'seek-bzip' {
  const Bunzip: {
    decode(input: Buffer, output: { writeByte(byte: number): void }): void;
  };
  export default Bunzip;
}
