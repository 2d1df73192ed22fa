/** The six fields that ask for a sample, less the instance. */
export interface FileFields {
	fileAeskey: string;
	fileAuthkey: string;
	fileSize: number;
	fileType: number;
	fileUrl: string;
}
