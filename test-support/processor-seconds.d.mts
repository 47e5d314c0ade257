/** Processor time that this process and its children that ended have used; undefined where there is no /proc. */
export declare function processorSeconds(): number | undefined;
