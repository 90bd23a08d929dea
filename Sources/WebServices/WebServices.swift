// WebServices
